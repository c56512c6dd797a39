//! Per-frame checks: the bytes of a line against the framing rules, and its JSON against the schema of its kind.

use super::decoded_frame::DecodedFrame;
use super::monitors::Violations;
use crate::dialect::Dialect;
use crate::finding::{Blame, Difference, DifferenceKind, Finding, Origin, Part};
use crate::frame::{Body, Frame};
use crate::rules::rule::{Rule, RuleForm};

/// The rules that look at one frame and need no history.
#[derive(Clone)]
pub(super) struct PerFrameChecks {
    /// The rules about the bytes of a line.
    framing: Vec<usize>,
    /// Lines from the agent, and from the host.
    lines: [u64; 2],
    /// How often each schema rule applied.
    schema: Vec<u64>,
}

impl PerFrameChecks {
    pub(super) fn new(dialect: &Dialect) -> Self {
        let rules = dialect.rules.iter().enumerate();
        let framing = rules.filter(|(_, rule)| matches!(rule.form, RuleForm::Framing(_)));
        PerFrameChecks {
            framing: framing.map(|(n, _)| n).collect(),
            lines: [0, 0],
            schema: vec![0; dialect.rules.len()],
        }
    }

    /// How often a rule applied.
    pub(super) fn exercised(&self, n: usize, rule: &Rule) -> u64 {
        match rule.form {
            RuleForm::Framing(_) => self.lines[side(rule.config.blame.unwrap_or(Blame::Agent))],
            _ => self.schema[n],
        }
    }

    /// Checks the bytes of a line against the framing rules.
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
        for n in self.framing.iter().copied() {
            let rule = &dialect.rules[n];
            let RuleForm::Framing(names) = &rule.form else {
                continue;
            };
            if rule.config.blame.unwrap_or(Blame::Agent) == decoded.blame {
                let defects = decoded.defects.iter();
                let forbidden = defects.filter(|defect| names.iter().any(|n| n == defect.name));
                out.extend(forbidden.map(|defect| {
                    let finding = Finding {
                        blame: decoded.blame,
                        message: defect.to_string(),
                        difference: Difference::named(DifferenceKind::Malformed, defect.name),
                        ..Finding::default()
                    };
                    (n, finding)
                }));
            }
        }
        out
    }

    /// Checks a frame against the schemas of its kind. The findings have the clauses and the levels of the broken parts.
    pub(super) fn check_schema(&mut self, decoded: &DecodedFrame<'_>) -> Violations {
        for definition in decoded.definitions.into_iter().flatten() {
            if let Some(n) = definition.rule {
                self.schema[n] += 1;
            }
        }
        let broken = decoded.schema_violations.iter();
        let broken = broken.filter_map(|(definition, broken)| {
            let label = &definition.label;
            let finding = Finding {
                blame: decoded.blame,
                origin: Origin::of_part(Part::Schema(label.clone())),
                message: format!("`{label}`: {}", broken.message),
                ..broken.clone()
            };
            Some((definition.rule?, finding))
        });
        broken.collect()
    }
}

fn side(blame: Blame) -> usize {
    usize::from(blame == Blame::Host)
}
