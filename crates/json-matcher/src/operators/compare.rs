//! Comparison operators: `$gte`, `$gt`, `$lte`, `$lt`, `$ne`.

use crate::captures::Captures;
use crate::compile::{Compiled, MatcherCompiler, WrittenMatcher};
use crate::pattern::{Check, MatchContext, Pattern};
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::sync::Arc;

#[derive(Debug)]
struct Bound {
    words: &'static str,
    accepts: fn(Ordering) -> bool,
    limit: Pattern,
}

#[derive(Debug)]
struct NotEqual(Pattern);

pub(super) fn gte(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    bound(compiler, operand, "at least", Ordering::is_ge)
}

pub(super) fn gt(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    bound(compiler, operand, "more than", Ordering::is_gt)
}

pub(super) fn lte(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    bound(compiler, operand, "at most", Ordering::is_le)
}

pub(super) fn lt(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    bound(compiler, operand, "less than", Ordering::is_lt)
}

pub(super) fn ne(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(NotEqual(compiler.pattern(operand)?)))
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
    Ok(Arc::new(Bound {
        words,
        accepts,
        limit: compiler.pattern(operand)?,
    }))
}

impl Check for Bound {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let limit = self.limit.literal(context.captures);
        match (value, limit.as_deref()) {
            (Some(Value::Number(value)), Some(Value::Number(limit))) => {
                order(value, limit).is_some_and(self.accepts)
            }
            _ => false,
        }
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("a number {} {}", self.words, self.limit.expected(captures))
    }
}

/// The order of two numbers: exact for integers, else as floats.
fn order(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

impl Check for NotEqual {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        value.is_some() && !self.0.holds(value, context)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("anything but {}", self.0.expected(captures))
    }
}
