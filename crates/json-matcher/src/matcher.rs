//! [`Matcher`]: a compiled matcher that compares values.

use crate::captures::Captures;
use crate::compile::{CompileError, MatcherCompiler, WrittenMatcher};
use crate::mismatch::Mismatch;
use crate::pattern::{Differences, MatchContext, Pattern, plain_key};
use crate::template::Template;
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::Pointer;

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    pattern: Pattern,
    written: Template,
}

/// The most differences that are collected for one value.
const MAX_DIFFERENCES: usize = 16;

impl Matcher {
    /// Compiles a matcher as written.
    ///
    /// # Errors
    /// Every unknown operator, bad operand and bad regular expression, with its pointer.
    pub fn compile(written: &Value) -> Result<Self, Vec<CompileError>> {
        Self::compile_with(written, true)
    }

    /// Compiles a matcher whose placeholders are filled already: all braces in it are text.
    ///
    /// # Errors
    /// As for [`Matcher::compile`].
    pub fn compile_filled(written: &Value) -> Result<Self, Vec<CompileError>> {
        Self::compile_with(written, false)
    }

    fn compile_with(written: &Value, has_placeholders: bool) -> Result<Self, Vec<CompileError>> {
        let compiler = MatcherCompiler { has_placeholders };
        let pattern = compiler.pattern(WrittenMatcher {
            value: written,
            pointer: &Pointer::Root,
        })?;
        Ok(Matcher {
            pattern,
            written: Template::new(written.clone()),
        })
    }

    /// Compares a value.
    ///
    /// # Errors
    /// The first difference.
    pub fn matches(&self, value: &Value, captures: &Captures) -> Result<(), Mismatch> {
        let first = self.compare(value, captures, 1).into_iter().next();
        first.map_or(Ok(()), Err)
    }

    /// Whether a part of a value matches that may be missing. Placeholders are not known.
    pub fn matches_part(&self, part: Option<&Value>) -> bool {
        let captures = Captures::default();
        self.pattern.holds(part, &MatchContext::root(&captures))
    }

    /// Whether all of its placeholders are known.
    pub fn is_filled(&self, captures: &Captures) -> bool {
        self.written.render(captures).is_ok()
    }

    /// Every difference, up to 16, in the order of the matcher as written.
    pub fn differences(&self, value: &Value, captures: &Captures) -> Vec<Mismatch> {
        self.compare(value, captures, MAX_DIFFERENCES)
    }

    /// The matcher as written, with the known placeholders filled.
    pub fn shown(&self, captures: &Captures) -> Value {
        self.written.show(captures)
    }

    /// What the matcher expects, in words, with the known placeholders filled: `{type: "end", usage: an object}`.
    pub fn in_words(&self, captures: &Captures) -> String {
        self.pattern.expected(captures)
    }

    /// The members that the matcher expects, each with its value in words; none if it does not name members.
    pub fn members_in_words(&self, captures: &Captures) -> IndexMap<String, String> {
        let Pattern::Object(entries) = &self.pattern else {
            return IndexMap::new();
        };
        let entries = entries.iter();
        entries
            .map(|(key, one)| (plain_key(key).to_owned(), one.expected(captures)))
            .collect()
    }

    /// The number of entries, in the order written, before the entry with the first difference.
    pub(crate) fn matching_entries(&self, differences: &[Mismatch]) -> usize {
        let (Some(first), Pattern::Object(entries)) = (differences.first(), &self.pattern) else {
            return 0;
        };
        let is_in = |key: &str| {
            let entry = Pointer::Entry(&Pointer::Root, plain_key(key)).to_string();
            let rest = first.pointer.strip_prefix(&entry);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let position = entries.iter().position(|(key, _)| is_in(key));
        position.unwrap_or_default()
    }

    fn compare(&self, value: &Value, captures: &Captures, limit: usize) -> Vec<Mismatch> {
        let mut differences = Differences::at_most(limit);
        let context = MatchContext::root(captures);
        self.pattern.check(Some(value), &context, &mut differences);
        differences.list
    }
}
