//! Operators on lists and lengths: `$length`, `$items`, `$in_order`.

use crate::captures::Captures;
use crate::compile::{Compiled, MatcherCompiler, WrittenMatcher};
use crate::mismatch::Pointer;
use crate::pattern::{Check, Differences, MatchContext, Pattern, all_expected};
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
struct Length(Pattern);

#[derive(Debug)]
struct Items(Pattern);

#[derive(Debug)]
struct InOrder(Vec<Pattern>);

pub(super) fn length(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    if !operand.value.is_number() && !operand.value.is_object() {
        return Err(operand.expected("a number, or operators on one such as { $gte: 1 }"));
    }
    Ok(Arc::new(Length(compiler.pattern(operand)?)))
}

pub(super) fn items(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(Items(compiler.pattern(operand)?)))
}

pub(super) fn in_order(compiler: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    Ok(Arc::new(InOrder(compiler.patterns(operand)?)))
}

impl Check for Length {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let length = match value {
            Some(Value::String(text)) => text.chars().count(),
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => return false,
        };
        self.0.holds(Some(&Value::from(length)), context)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("a value whose length is {}", self.0.expected(captures))
    }
}

impl Check for Items {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let items = value.and_then(Value::as_array);
        items.is_some_and(|items| items.iter().all(|item| self.0.holds(Some(item), context)))
    }

    fn expected(&self, captures: &Captures) -> String {
        format!(
            "a list of which each element is {}",
            self.0.expected(captures)
        )
    }

    fn check(&self, value: Option<&Value>, context: &MatchContext<'_>, out: &mut Differences) {
        match value.and_then(Value::as_array) {
            Some(items) => items.iter().enumerate().for_each(|(index, item)| {
                self.0.check(
                    Some(item),
                    &context.with_pointer(&Pointer::Item(context.pointer, index)),
                    out,
                );
            }),
            None => out.push(context, self.expected(context.captures), value),
        }
    }
}

impl Check for InOrder {
    fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let Some(items) = value.and_then(Value::as_array) else {
            return false;
        };
        let mut rest = items.iter();
        let mut expected = self.0.iter();
        expected.all(|one| rest.any(|item| one.holds(Some(item), context)))
    }

    fn expected(&self, captures: &Captures) -> String {
        let expected = all_expected(&self.0, captures);
        format!("a list with, in this order, {}", expected.join(", "))
    }
}
