//! `$length`, `$items`, `$in_order`.

use super::{Check, Compiled, operand};
use crate::matcher::Captures;
use crate::matcher::mismatch::Differences;
use crate::matcher::pattern::{At, Pattern};
use crate::matcher::pointer::Pointer;
use serde_json::Value;
use spanned_yaml::Node;
use std::sync::Arc;

#[derive(Debug)]
struct Length(Pattern);

#[derive(Debug)]
struct Items(Pattern);

#[derive(Debug)]
struct InOrder(Vec<Pattern>);

pub(super) fn length(node: &Node) -> Compiled {
    let is_good = matches!(node.kind(), spanned_yaml::Kind::Number(_)) || node.as_map().is_some();
    if !is_good {
        return Err(operand::wanted(
            node,
            "a number, or operators on one such as { $gte: 1 }",
        ));
    }
    Ok(Arc::new(Length(operand::matcher(node)?)))
}

pub(super) fn items(node: &Node) -> Compiled {
    Ok(Arc::new(Items(operand::matcher(node)?)))
}

pub(super) fn in_order(node: &Node) -> Compiled {
    Ok(Arc::new(InOrder(operand::matchers(node)?)))
}

impl Check for Length {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let length = match value {
            Some(Value::String(text)) => text.chars().count(),
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => return false,
        };
        self.0.holds(Some(&Value::from(length)), at)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("a value whose length is {}", self.0.expected(captures))
    }
}

impl Check for Items {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let items = value.and_then(Value::as_array);
        items.is_some_and(|items| items.iter().all(|item| self.0.holds(Some(item), at)))
    }

    fn expected(&self, captures: &Captures) -> String {
        format!(
            "a list of which each element is {}",
            self.0.expected(captures)
        )
    }

    fn check(&self, value: Option<&Value>, at: &At<'_>, out: &mut Differences) {
        match value.and_then(Value::as_array) {
            Some(items) => items.iter().enumerate().for_each(|(index, item)| {
                self.0.check(
                    Some(item),
                    &at.below(&Pointer::Item(at.pointer, index)),
                    out,
                );
            }),
            None => out.push(at.pointer, self.expected(at.captures), value),
        }
    }
}

impl Check for InOrder {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let Some(items) = value.and_then(Value::as_array) else {
            return false;
        };
        let mut rest = items.iter();
        let mut wanted = self.0.iter();
        wanted.all(|one| rest.any(|item| one.holds(Some(item), at)))
    }

    fn expected(&self, captures: &Captures) -> String {
        let wanted: Vec<_> = self.0.iter().map(|one| one.expected(captures)).collect();
        format!("a list with, in this order, {}", wanted.join(", "))
    }
}
