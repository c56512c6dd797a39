//! Operators on text: `$regex`, `$contains`.

use crate::captures::Captures;
use crate::compile::{Compiled, MatcherCompiler, WrittenMatcher};
use crate::mismatch::shorten;
use crate::pattern::{Check, MatchContext, Pattern};
use crate::placeholder::{Segment, UnknownPlaceholder};
use regex::Regex;
use serde_json::Value;
use std::sync::Arc;

/// A regular expression without placeholders.
#[derive(Debug)]
struct Fixed(Regex);

/// A regular expression with placeholders: captured values are inserted as literal text.
#[derive(Debug)]
struct Filled {
    parts: Vec<RegexPart>,
}

#[derive(Debug)]
enum RegexPart {
    Pattern(String),
    Placeholder(String),
}

impl From<Segment<'_>> for RegexPart {
    fn from(segment: Segment<'_>) -> Self {
        match segment {
            Segment::Text(text) => RegexPart::Pattern(text.to_owned()),
            Segment::Placeholder(name) => RegexPart::Placeholder(name.to_owned()),
        }
    }
}

#[derive(Debug)]
struct Contains(Pattern);

pub(super) fn regex(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    let Value::String(pattern) = operand.value else {
        return Err(operand.expected("a regular expression"));
    };
    let segments = compiler.regex_segments(pattern);
    let filled = Filled {
        parts: segments.into_iter().map(RegexPart::from).collect(),
    };
    // Any text will do to find out whether the expression is well formed.
    let sample = filled.with(|_| Ok("x".to_owned()));
    let sample = sample.map_err(|unknown| operand.invalid(unknown.to_string()))?;
    let regex = Regex::new(&sample).map_err(|error| {
        let reason = last_line(&error.to_string()).to_owned();
        operand.invalid(format!("not a regular expression: {reason}"))
    })?;
    if filled.has_no_placeholders() {
        Ok(Arc::new(Fixed(regex)))
    } else {
        Ok(Arc::new(filled))
    }
}

pub(super) fn contains(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(Contains(compiler.pattern(operand)?)))
}

impl Check for Fixed {
    fn holds(&self, value: Option<&Value>, _: &MatchContext<'_>) -> bool {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| self.0.is_match(text))
    }

    fn expected(&self, _: &Captures) -> String {
        format!("a text matching /{}/", self.0)
    }
}

impl Check for Filled {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let regex = self
            .with(|name| captured(name, context.captures))
            .ok()
            .and_then(|pattern| Regex::new(&pattern).ok());
        regex
            .zip(value.and_then(Value::as_str))
            .is_some_and(|(regex, text)| regex.is_match(text))
    }

    fn expected(&self, captures: &Captures) -> String {
        match self.with(|name| captured(name, captures)) {
            Ok(pattern) => format!("a text matching /{pattern}/"),
            Err(error) => error.to_string(),
        }
    }
}

impl Filled {
    fn has_no_placeholders(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, RegexPart::Pattern(_)))
    }

    fn with(
        &self,
        fill: impl Fn(&str) -> Result<String, UnknownPlaceholder>,
    ) -> Result<String, UnknownPlaceholder> {
        self.parts
            .iter()
            .map(|part| match part {
                RegexPart::Pattern(text) => Ok(text.clone()),
                RegexPart::Placeholder(name) => fill(name).map(|text| regex::escape(&text)),
            })
            .collect()
    }
}

fn captured(name: &str, captures: &Captures) -> Result<String, UnknownPlaceholder> {
    match captures.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Ok(other.to_string()),
        None => Err(UnknownPlaceholder {
            name: name.to_owned(),
        }),
    }
}

/// The last line of an error of the regex crate, which has the message; the lines before it show the expression.
fn last_line(message: &str) -> &str {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line)
}

impl Check for Contains {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        match value {
            Some(Value::String(text)) => {
                let part = self.0.literal(context.captures);
                part.is_some_and(|part| part.as_str().is_some_and(|part| text.contains(part)))
            }
            Some(Value::Array(items)) => items.iter().any(|item| self.0.holds(Some(item), context)),
            _ => false,
        }
    }

    fn expected(&self, captures: &Captures) -> String {
        shorten(&format!(
            "a value that contains {}",
            self.0.expected(captures)
        ))
    }
}
