//! Logical operators: `$one_of`, `$not`, `$all`, `$any`.

use crate::captures::Captures;
use crate::compile::{Compiled, MatcherCompiler, WrittenMatcher};
use crate::mismatch::{Pointer, join_or};
use crate::pattern::{Check, Differences, MatchContext, Pattern, all_expected};
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
struct Any(Vec<Pattern>);

#[derive(Debug)]
struct All(Vec<Pattern>);

#[derive(Debug)]
struct Not(Pattern);

pub(super) fn one_of(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    operand.each(|item| match item.value {
        Value::Array(_) | Value::Object(_) => {
            Err(item.expected("a plain value ($any takes matchers)"))
        }
        _ => Ok(()),
    })?;
    any(compiler, operand)
}

pub(super) fn any(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(Any(compiler.patterns(operand)?)))
}

pub(super) fn all(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(All(compiler.patterns(operand)?)))
}

pub(super) fn not(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(Not(compiler.pattern(operand)?)))
}

impl Check for Any {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        self.0.iter().any(|one| one.holds(value, context))
    }

    fn expected(&self, captures: &Captures) -> String {
        join_or(&all_expected(&self.0, captures))
    }
}

impl Check for All {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        self.0.iter().all(|one| one.holds(value, context))
    }

    fn expected(&self, captures: &Captures) -> String {
        all_expected(&self.0, captures).join(", and ")
    }

    fn check(&self, value: Option<&Value>, context: &MatchContext<'_>, out: &mut Differences) {
        for (index, one) in self.0.iter().enumerate() {
            let matcher_pointer = Pointer::Item(context.matcher_pointer, index);
            one.check(value, &context.with_matcher_pointer(&matcher_pointer), out);
        }
    }
}

impl Check for Not {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        !self.0.holds(value, context)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("anything but {}", self.0.expected(captures))
    }
}
