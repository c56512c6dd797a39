//! What is wrong with a frame by itself: its bytes and its shape.

use super::decoded_frame::DecodedFrame;
use super::monitors::Violations;
use crate::dialect::Dialect;
use crate::finding::{Blame, Level};
use crate::frame::{Body, Frame};
use crate::rules::rule::{RuleForm, Violation};

/// The rules that need one frame and no history.
#[derive(Clone)]
pub(super) struct PerFrameChecks {
    wire: Vec<usize>,
    counts: Vec<u64>,
}

/// What broke a definition: the rule, the clauses and the level of the part that was broken.
pub(super) type SchemaViolations = Vec<(usize, Violation, Vec<String>, Level)>;

impl PerFrameChecks {
    pub(super) fn new(dialect: &Dialect) -> Self {
        let mut per_frame = PerFrameChecks {
            wire: Vec::new(),
            counts: vec![0; dialect.rules.len()],
        };
        for (n, rule) in dialect.rules.iter().enumerate() {
            if matches!(rule.form, RuleForm::Wire(_)) {
                per_frame.wire.push(n);
            }
        }
        per_frame
    }

    /// How often a rule met its subject.
    pub(super) fn exercised(&self, rule: usize) -> u64 {
        self.counts[rule]
    }

    /// Holds the bytes of a line to the rules of the wire.
    pub(super) fn bytes(
        &mut self,
        dialect: &Dialect,
        frame: &Frame,
        decoded: &DecodedFrame<'_>,
    ) -> Violations {
        let mut out = Vec::new();
        if !matches!(frame.body, Body::FromAgent(_) | Body::ToAgent(_)) {
            return out;
        }
        for n in self.wire.iter().copied() {
            let rule = &dialect.rules[n];
            let RuleForm::Wire(names) = &rule.form else {
                continue;
            };
            if rule.blame.unwrap_or(Blame::Agent) != decoded.blame {
                continue;
            }
            self.counts[n] += 1;
            let defects = decoded.defects.iter();
            let told = defects.filter(|(name, _)| names.iter().any(|n| n == name));
            out.extend(told.map(|(_, message)| (n, violation(decoded, message.clone()))));
        }
        out
    }

    /// Holds a frame to its definitions.
    pub(super) fn shape(&mut self, decoded: &DecodedFrame<'_>) -> SchemaViolations {
        for definition in decoded.definitions.into_iter().flatten() {
            if let Some(n) = definition.rule {
                self.counts[n] += 1;
            }
        }
        let found = decoded.faults.iter().filter_map(|(definition, fault)| {
            let message = format!("`{}`: {}", definition.label, fault.message);
            let violation = Violation {
                expected: fault.expected.clone(),
                pointer: fault.pointer.clone(),
                ..violation(decoded, message)
            };
            Some((
                definition.rule?,
                violation,
                fault.clauses.clone(),
                fault.level,
            ))
        });
        found.collect()
    }
}

fn violation(decoded: &DecodedFrame<'_>, message: String) -> Violation {
    Violation {
        blame: decoded.blame,
        key: String::new(),
        message,
        expected: Vec::new(),
        pointer: String::new(),
    }
}
