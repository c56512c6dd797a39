//! The table of operators.

use super::Check;
use super::regex_text::RegexText;
use super::types::types;
use crate::compile::{Compiled, MatcherCompiler, Operator, WrittenMatcher};
use serde_json::Value;
use std::cmp::Ordering;

/// Every operator.
pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "$regex",
        text: "A text in which this regular expression is found: `^call_`. Places are put in literally.",
        compile: |compiler, part| RegexText::compile(compiler, part).map(Check::Regex),
    },
    Operator {
        name: "$contains",
        text: "A text that holds this one, or a list with an element that matches.",
        compile: |compiler, part| compiler.pattern(part).map(Check::Contains),
    },
    Operator {
        name: "$type",
        text: "A value of this JSON type, or of one in a list of them: `string`, `[string, \"null\"]`.",
        compile: |_, part| types(part).map(Check::Type),
    },
    Operator {
        name: "$one_of",
        text: "Equal to one of these values: `[once, always]`.",
        compile: one_of,
    },
    Operator {
        name: "$absent",
        text: "`true`: the object lacks the key.",
        compile: |_, part| present(part, false),
    },
    Operator {
        name: "$present",
        text: "`true`: the object has the key, whatever its value.",
        compile: |_, part| present(part, true),
    },
    Operator {
        name: "$length",
        text: "A text, list or object of this length, or whose length matches: `3`, `{ $gte: 1 }`.",
        compile: length,
    },
    Operator {
        name: "$items",
        text: "A list whose every element matches.",
        compile: |compiler, part| compiler.pattern(part).map(Check::Items),
    },
    Operator {
        name: "$in_order",
        text: "A list that has an element for each of these, in this order; others may stand between them.",
        compile: |compiler, part| compiler.patterns(part).map(Check::InOrder),
    },
    Operator {
        name: "$gte",
        text: "A number at least this large.",
        compile: |compiler, part| bound(compiler, part, "at least", Ordering::is_ge),
    },
    Operator {
        name: "$gt",
        text: "A number larger than this.",
        compile: |compiler, part| bound(compiler, part, "more than", Ordering::is_gt),
    },
    Operator {
        name: "$lte",
        text: "A number at most this large.",
        compile: |compiler, part| bound(compiler, part, "at most", Ordering::is_le),
    },
    Operator {
        name: "$lt",
        text: "A number smaller than this.",
        compile: |compiler, part| bound(compiler, part, "less than", Ordering::is_lt),
    },
    Operator {
        name: "$ne",
        text: "A value that is there and is not equal to this one.",
        compile: |compiler, part| compiler.pattern(part).map(Check::Other),
    },
    Operator {
        name: "$not",
        text: "Anything that does not match.",
        compile: |compiler, part| compiler.pattern(part).map(Check::Not),
    },
    Operator {
        name: "$all",
        text: "Matches every one of these.",
        compile: |compiler, part| compiler.patterns(part).map(Check::All),
    },
    Operator {
        name: "$any",
        text: "Matches at least one of these.",
        compile: |compiler, part| compiler.patterns(part).map(Check::Any),
    },
];

fn one_of(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    operand.each(|item| match item.value {
        Value::Array(_) | Value::Object(_) => {
            Err(item.expected("a plain value ($any takes matchers)"))
        }
        _ => Ok(()),
    })?;
    compiler.patterns(operand).map(Check::Any)
}

fn present(operand: WrittenMatcher<'_>, is_expected: bool) -> Compiled {
    match operand.value {
        Value::Bool(true) => Ok(Check::Present(is_expected)),
        _ => Err(operand.expected("`true`")),
    }
}

fn length(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    if !operand.value.is_number() && !operand.value.is_object() {
        return Err(operand.expected("a number, or operators on one such as { $gte: 1 }"));
    }
    compiler.pattern(operand).map(Check::Length)
}

fn bound(
    compiler: &MatcherCompiler,
    operand: WrittenMatcher<'_>,
    words: &'static str,
    accepts: fn(Ordering) -> bool,
) -> Compiled {
    match operand.value {
        Value::Number(_) => {}
        Value::String(text) if compiler.is_placeholder(text) => {}
        _ => return Err(operand.expected("a number, or a captured one as \"{name}\"")),
    }
    let limit = compiler.pattern(operand)?;
    Ok(Check::Bound(words, accepts, limit))
}
