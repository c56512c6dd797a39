//! What an operator can do once it has its operand.

use crate::matcher::Captures;
use crate::matcher::mismatch::Differences;
use crate::matcher::pattern::At;
use serde_json::Value;
use std::fmt::Debug;

/// A compiled operator with its operand.
pub(in crate::matcher) trait Check: Debug + Send + Sync {
    /// Whether a value is what is wanted; `None` is an entry that the object lacks.
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool;

    /// What is wanted, in words that follow "expected".
    fn expected(&self, captures: &Captures) -> String;

    /// Adds what differs. An operator that looks inside the value says where.
    fn check(&self, value: Option<&Value>, at: &At<'_>, out: &mut Differences) {
        if !self.holds(value, at) {
            out.push(at.pointer, self.expected(at.captures), value);
        }
    }
}
