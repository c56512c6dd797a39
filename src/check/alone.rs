//! What is wrong with a frame by itself: its bytes and its shape.

use super::reading::Reading;
use super::roster::Violations;
use crate::dialect::Dialect;
use crate::finding::{Blame, Level};
use crate::frame::{Body, Frame};
use crate::rules::rule::{Form, Violation};
use std::collections::HashMap;

/// The rules that need one frame and no history.
#[derive(Clone)]
pub(super) struct Alone {
    by_shape: HashMap<String, usize>,
    wire: Vec<usize>,
    counts: Vec<u64>,
}

/// What broke a definition: the rule, the clauses and the level of the part that was broken.
pub(super) type Misshapen = Vec<(usize, Violation, Vec<String>, Level)>;

impl Alone {
    pub(super) fn new(dialect: &Dialect) -> Self {
        let mut alone = Alone {
            by_shape: HashMap::new(),
            wire: Vec::new(),
            counts: vec![0; dialect.rules.len()],
        };
        for (n, rule) in dialect.rules.iter().enumerate() {
            match &rule.form {
                Form::Schema(name) => {
                    alone.by_shape.insert(name.clone(), n);
                }
                Form::Wire(_) => alone.wire.push(n),
                _ => {}
            }
        }
        alone
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
        reading: &Reading,
    ) -> Violations {
        let mut out = Vec::new();
        if !matches!(frame.body, Body::FromAgent(_) | Body::ToAgent(_)) {
            return out;
        }
        for n in self.wire.iter().copied() {
            let rule = &dialect.rules[n];
            let Form::Wire(names) = &rule.form else {
                continue;
            };
            if rule.blame.unwrap_or(Blame::Agent) != reading.blame {
                continue;
            }
            self.counts[n] += 1;
            let defects = reading.defects.iter();
            let told = defects.filter(|(name, _)| names.iter().any(|n| n == name));
            out.extend(told.map(|(_, message)| (n, violation(reading, message.clone()))));
        }
        out
    }

    /// Holds a frame to its definitions.
    pub(super) fn shape(&mut self, reading: &Reading) -> Misshapen {
        let mut out = Vec::new();
        for (name, faults) in &reading.shapes {
            let Some(n) = self.by_shape.get(name).copied() else {
                continue;
            };
            self.counts[n] += 1;
            for fault in faults {
                let violation = Violation {
                    expected: fault.expected.clone(),
                    pointer: fault.pointer.clone(),
                    ..violation(reading, format!("`{name}`: {}", fault.message))
                };
                out.push((n, violation, fault.clauses.clone(), fault.level));
            }
        }
        out
    }
}

fn violation(reading: &Reading, message: String) -> Violation {
    Violation {
        blame: reading.blame,
        key: String::new(),
        message,
        expected: Vec::new(),
        pointer: String::new(),
    }
}
