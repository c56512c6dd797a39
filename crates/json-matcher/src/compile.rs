//! Compiles a matcher as written, a JSON value, to patterns, and collects every mistake in it.

use crate::operators::{Check, OPERATORS};
use crate::pattern::Pattern;
use crate::placeholder::{self, Segment};
use serde_json::Value;
use spanned_yaml::{Pointer, all_or_mistakes, describe_text, unknown};

/// A mistake in a matcher as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// JSON Pointer into the matcher.
    pub pointer: String,
    /// Whether the mistake is in the key at the pointer, and not in its value.
    pub is_key: bool,
    /// The mistake, in one sentence.
    pub message: String,
}

/// An operator.
#[derive(Debug)]
pub struct Operator {
    /// Its name, such as `$regex`.
    pub name: &'static str,
    /// What it checks, with an example of its operand: editors show it.
    pub text: &'static str,
    pub(crate) compile: fn(&MatcherCompiler, WrittenMatcher<'_>) -> Compiled,
}

/// A compiled operator, or every mistake in its operand.
pub(crate) type Compiled = Result<Check, Vec<CompileError>>;

/// A part of a matcher as written, such as the operand of an operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenMatcher<'a> {
    pub(crate) value: &'a Value,
    pub(crate) pointer: &'a Pointer<'a>,
}

/// Compiles matchers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatcherCompiler {
    /// Whether `{name}` in a text is a placeholder; else all braces are text.
    pub(crate) has_placeholders: bool,
}

impl WrittenMatcher<'_> {
    /// A mistake in this value.
    pub(crate) fn invalid(self, message: impl Into<String>) -> Vec<CompileError> {
        self.error(false, message.into())
    }

    /// The mistake of a value of the wrong kind.
    pub(crate) fn expected(self, what: &str) -> Vec<CompileError> {
        self.invalid(format!("expected {what}, found {}", describe(self.value)))
    }

    fn error(self, is_key: bool, message: String) -> Vec<CompileError> {
        vec![CompileError {
            pointer: self.pointer.to_string(),
            is_key,
            message,
        }]
    }

    /// The elements of a list that is not empty, each compiled by a function.
    ///
    /// # Errors
    /// Another kind of value, or every mistake in the elements.
    pub(crate) fn each<T>(
        self,
        compile: impl Fn(WrittenMatcher<'_>) -> Result<T, Vec<CompileError>>,
    ) -> Result<Vec<T>, Vec<CompileError>> {
        let items = self.value.as_array().filter(|items| !items.is_empty());
        let items = items.ok_or_else(|| self.expected("a list with at least one element"))?;
        all_or_mistakes(items.iter().enumerate().map(|(index, value)| {
            compile(WrittenMatcher {
                value,
                pointer: &Pointer::Item(self.pointer, index),
            })
        }))
    }
}

impl MatcherCompiler {
    /// Compiles a part of a matcher.
    ///
    /// # Errors
    /// Every mistake in it.
    pub(crate) fn pattern(&self, part: WrittenMatcher<'_>) -> Result<Pattern, Vec<CompileError>> {
        match part.value {
            Value::String(text) if self.has_placeholders => Ok(Pattern::Text(text.clone())),
            Value::Array(items) => {
                let items = items.iter().enumerate().map(|(index, value)| {
                    self.pattern(WrittenMatcher {
                        value,
                        pointer: &Pointer::Item(part.pointer, index),
                    })
                });
                all_or_mistakes(items).map(Pattern::List)
            }
            Value::Object(entries) if entries.keys().any(|key| is_operator(key)) => {
                let checks = entries.iter().map(|(key, value)| {
                    let pointer = &Pointer::Entry(part.pointer, key);
                    self.operator(key, WrittenMatcher { value, pointer })
                });
                all_or_mistakes(checks).map(Pattern::Checks)
            }
            Value::Object(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let pointer = &Pointer::Entry(part.pointer, key);
                    let pattern = self.pattern(WrittenMatcher { value, pointer })?;
                    Ok((key.clone(), pattern))
                });
                all_or_mistakes(entries).map(Pattern::Object)
            }
            scalar => Ok(Pattern::Scalar(scalar.clone())),
        }
    }

    /// Compiles a list of matchers, at least one.
    ///
    /// # Errors
    /// Another kind of value, or every mistake in the matchers.
    pub(crate) fn patterns(
        &self,
        operand: WrittenMatcher<'_>,
    ) -> Result<Vec<Pattern>, Vec<CompileError>> {
        operand.each(|item| self.pattern(item))
    }

    fn operator(
        &self,
        key: &str,
        operand: WrittenMatcher<'_>,
    ) -> Result<(&'static str, Check), Vec<CompileError>> {
        if !is_operator(key) {
            let message =
                format!("the key `{key}` beside operators; a map holds the one or the other");
            return Err(operand.error(true, message));
        }
        let Some(operator) = OPERATORS.iter().find(|one| one.name == key) else {
            let known = OPERATORS.iter().map(|one| one.name);
            return Err(operand.error(true, unknown("operator", key, known)));
        };
        Ok((operator.name, (operator.compile)(self, operand)?))
    }

    /// The segments of a regular expression.
    pub(crate) fn regex_segments<'t>(&self, pattern: &'t str) -> Vec<Segment<'t>> {
        if self.has_placeholders {
            placeholder::regex_segments(pattern)
        } else {
            vec![Segment::Text(pattern)]
        }
    }

    /// Whether a text is one placeholder and nothing else.
    pub(crate) fn is_placeholder(&self, text: &str) -> bool {
        let segments = placeholder::segments(text);
        self.has_placeholders && matches!(segments.as_slice(), [Segment::Placeholder(_)])
    }
}

/// `$name` is an operator; `$$name` is the plain key `$name`.
fn is_operator(key: &str) -> bool {
    key.starts_with('$') && !key.starts_with("$$")
}

/// A value in the words of an error message.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => describe_text(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a map".to_owned(),
    }
}
