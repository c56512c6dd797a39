//! A matcher, ready to compare.

use super::mismatch::Differences;
use super::pattern::{At, Pattern};
use super::pointer::Pointer;
use super::{Captures, Mismatch, Template, compile};
use serde_json::Value;
use spanned_yaml::{Error, Node};

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    pattern: Pattern,
    written: Template,
}

/// Most differences that are collected of one value.
const MOST: usize = 16;

impl Matcher {
    /// Compiles what is written.
    ///
    /// # Errors
    /// Every unknown operator, bad operand and bad regular expression, at its place.
    pub fn compile(node: &Node) -> Result<Self, Vec<Error>> {
        let mut errors = Vec::new();
        let pattern = compile::pattern(node, &mut errors);
        match pattern {
            Some(pattern) if errors.is_empty() => Ok(Matcher {
                pattern,
                written: Template::new(node.to_value()),
            }),
            _ => Err(errors),
        }
    }

    /// Whether a value is what is wanted.
    ///
    /// # Errors
    /// The first difference.
    pub fn matches(&self, value: &Value, captures: &Captures) -> Result<(), Mismatch> {
        self.compare(value, captures, 1)
            .into_iter()
            .next()
            .map_or(Ok(()), Err)
    }

    /// Every difference, up to a few, in the order in which the matcher is written.
    #[must_use]
    pub fn differences(&self, value: &Value, captures: &Captures) -> Vec<Mismatch> {
        self.compare(value, captures, MOST)
    }

    /// The matcher as written, the places it can fill filled, on one line of JSON.
    #[must_use]
    pub fn describe(&self, captures: &Captures) -> String {
        self.written.show(captures).to_string()
    }

    /// The number of entries, in the order written, that stand before the first difference.
    pub(super) fn held_before(&self, differences: &[Mismatch]) -> usize {
        let (Some(first), Pattern::Object(entries)) = (differences.first(), &self.pattern) else {
            return 0;
        };
        let is_in = |name: &str| {
            let entry = Pointer::Entry(&Pointer::Root, name).to_string();
            first
                .pointer
                .strip_prefix(&entry)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        entries
            .iter()
            .position(|(name, _)| is_in(name))
            .unwrap_or_default()
    }

    fn compare(&self, value: &Value, captures: &Captures, most: usize) -> Vec<Mismatch> {
        let mut differences = Differences::at_most(most);
        self.pattern
            .check(Some(value), &At::root(captures), &mut differences);
        differences.into_list()
    }
}
