//! Regular expressions of `$regex`, with placeholders for captured values, which are inserted as literal text.

use crate::captures::Captures;
use crate::compile::{CompileError, MatcherCompiler, WrittenMatcher};
use crate::placeholder::{Segment, UnknownPlaceholder};
use crate::template::render_text;
use regex::Regex;
use serde_json::Value;

/// A regular expression with placeholders.
#[derive(Debug, Clone)]
pub(crate) struct RegexText {
    /// Its parts, and whether each is a placeholder, as written.
    parts: Vec<(bool, String)>,
    /// The compiled expression, if it has no placeholders.
    fixed: Option<Regex>,
}

impl RegexText {
    pub(super) fn compile(
        compiler: &MatcherCompiler,
        operand: WrittenMatcher<'_>,
    ) -> Result<Self, Vec<CompileError>> {
        let Value::String(pattern) = operand.value else {
            return Err(operand.expected("a regular expression"));
        };
        let segments = compiler.regex_segments(pattern).into_iter();
        let parts = segments.map(|segment| match segment {
            Segment::Text(text) => (false, text.to_owned()),
            Segment::Placeholder(name) => (true, format!("{{{name}}}")),
        });
        let parts: Vec<_> = parts.collect();
        // Any text will do to find out whether the expression is well formed.
        let sample = parts
            .iter()
            .map(|(is_placeholder, text)| if *is_placeholder { "x" } else { text });
        let regex = Regex::new(&sample.collect::<String>()).map_err(|error| {
            let reason = last_line(&error.to_string()).to_owned();
            operand.invalid(format!("not a regular expression: {reason}"))
        })?;
        let has_placeholders = parts.iter().any(|(is_placeholder, _)| *is_placeholder);
        Ok(RegexText {
            fixed: Some(regex).filter(|_| !has_placeholders),
            parts,
        })
    }

    pub(super) fn is_match(&self, text: &str, captures: &Captures) -> bool {
        if let Some(regex) = &self.fixed {
            return regex.is_match(text);
        }
        let regex = self.filled(captures).ok();
        let regex = regex.and_then(|pattern| Regex::new(&pattern).ok());
        regex.is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn expected(&self, captures: &Captures) -> String {
        match self.filled(captures) {
            Ok(pattern) => format!("a text matching /{pattern}/"),
            Err(error) => error.to_string(),
        }
    }

    fn filled(&self, captures: &Captures) -> Result<String, UnknownPlaceholder> {
        let parts = self.parts.iter();
        let filled = parts.map(|(is_placeholder, text)| {
            if *is_placeholder {
                render_text(text, captures).map(|text| regex::escape(&text))
            } else {
                Ok(text.clone())
            }
        });
        filled.collect()
    }
}

/// The last line of an error of the regex crate, which has the message; the lines before it show the expression.
fn last_line(message: &str) -> &str {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line)
}
