//! Per-frame checks: the bytes of a line against the wire rules, and its JSON against the schema of its kind.

use super::decoded_frame::DecodedFrame;
use super::monitors::Violations;
use crate::dialect::Dialect;
use crate::finding::{Blame, Difference, DifferenceKind, Level};
use crate::frame::{Body, Frame};
use crate::rules::monitor::Violation;
use crate::rules::rule::{Rule, RuleForm};

/// The rules that look at one frame and need no history.
#[derive(Clone)]
pub(super) struct PerFrameChecks {
    /// The rules about the bytes of a line.
    wire: Vec<usize>,
    /// Lines from the agent, and from the host.
    lines: [u64; 2],
    /// How often each schema rule applied.
    schema: Vec<u64>,
}

/// A schema rule that a frame broke, with the clauses and the level of the broken part of the schema.
pub(super) struct BrokenSchema {
    pub(super) rule: usize,
    pub(super) violation: Violation,
    pub(super) clauses: Vec<String>,
    pub(super) level: Level,
}

impl PerFrameChecks {
    pub(super) fn new(dialect: &Dialect) -> Self {
        let rules = dialect.rules.iter().enumerate();
        let wire = rules.filter(|(_, rule)| matches!(rule.form, RuleForm::Wire(_)));
        PerFrameChecks {
            wire: wire.map(|(n, _)| n).collect(),
            lines: [0, 0],
            schema: vec![0; dialect.rules.len()],
        }
    }

    /// How often a rule applied.
    pub(super) fn exercised(&self, n: usize, rule: &Rule) -> u64 {
        match rule.form {
            RuleForm::Wire(_) => self.lines[side(rule.config.blame.unwrap_or(Blame::Agent))],
            _ => self.schema[n],
        }
    }

    /// Checks the bytes of a line against the wire rules.
    pub(super) fn check_bytes(
        &mut self,
        dialect: &Dialect,
        frame: &Frame,
        decoded: &DecodedFrame<'_>,
    ) -> Violations {
        let mut out = Vec::new();
        if !matches!(frame.body, Body::FromAgent(_) | Body::ToAgent(_)) {
            return out;
        }
        self.lines[side(decoded.blame)] += 1;
        if decoded.defects.is_empty() {
            return out;
        }
        for n in self.wire.iter().copied() {
            let rule = &dialect.rules[n];
            let RuleForm::Wire(names) = &rule.form else {
                continue;
            };
            if rule.config.blame.unwrap_or(Blame::Agent) == decoded.blame {
                let defects = decoded.defects.iter();
                let forbidden = defects.filter(|(name, _)| names.iter().any(|n| n == name));
                out.extend(forbidden.map(|(name, message)| {
                    let difference = Difference::named(DifferenceKind::Malformed, *name);
                    (n, violation(decoded, message.clone(), difference))
                }));
            }
        }
        out
    }

    /// Checks a frame against the schemas of its kind.
    pub(super) fn check_schema(&mut self, decoded: &DecodedFrame<'_>) -> Vec<BrokenSchema> {
        for definition in decoded.definitions.into_iter().flatten() {
            if let Some(n) = definition.rule {
                self.schema[n] += 1;
            }
        }
        let broken = decoded.schema_violations.iter();
        let broken = broken.filter_map(|(definition, broken)| {
            let message = format!("`{}`: {}", definition.label, broken.message);
            Some(BrokenSchema {
                rule: definition.rule?,
                violation: Violation {
                    expected: broken.expected.clone(),
                    pointer: broken.pointer.clone(),
                    ..violation(decoded, message, Difference::of(broken.kind))
                },
                clauses: broken.clauses.clone(),
                level: broken.level,
            })
        });
        broken.collect()
    }
}

fn side(blame: Blame) -> usize {
    usize::from(blame == Blame::Host)
}

fn violation(decoded: &DecodedFrame<'_>, message: String, difference: Difference) -> Violation {
    Violation {
        blame: decoded.blame,
        key: String::new(),
        message,
        expected: Vec::new(),
        pointer: String::new(),
        difference,
    }
}
