//! `$one_of`, `$not`, `$all`, `$any`.

use super::{Check, Compiled, operand};
use crate::matcher::mismatch::Differences;
use crate::matcher::pattern::{At, Pattern};
use crate::matcher::{Captures, words};
use serde_json::Value;
use spanned_yaml::Node;
use std::sync::Arc;

#[derive(Debug)]
struct Any(Vec<Pattern>);

#[derive(Debug)]
struct All(Vec<Pattern>);

#[derive(Debug)]
struct Not(Pattern);

pub(super) fn one_of(node: &Node) -> Compiled {
    for item in operand::list(node)? {
        if item.as_list().is_some() || item.as_map().is_some() {
            return Err(operand::wanted(item, "a plain value ($any takes matchers)"));
        }
    }
    any(node)
}

pub(super) fn any(node: &Node) -> Compiled {
    Ok(Arc::new(Any(operand::matchers(node)?)))
}

pub(super) fn all(node: &Node) -> Compiled {
    Ok(Arc::new(All(operand::matchers(node)?)))
}

pub(super) fn not(node: &Node) -> Compiled {
    Ok(Arc::new(Not(operand::matcher(node)?)))
}

impl Check for Any {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        self.0.iter().any(|one| one.holds(value, at))
    }

    fn expected(&self, captures: &Captures) -> String {
        words::either(
            &self
                .0
                .iter()
                .map(|one| one.expected(captures))
                .collect::<Vec<_>>(),
        )
    }
}

impl Check for All {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        self.0.iter().all(|one| one.holds(value, at))
    }

    fn expected(&self, captures: &Captures) -> String {
        self.0
            .iter()
            .map(|one| one.expected(captures))
            .collect::<Vec<_>>()
            .join(", and ")
    }

    fn check(&self, value: Option<&Value>, at: &At<'_>, out: &mut Differences) {
        self.0.iter().for_each(|one| one.check(value, at, out));
    }
}

impl Check for Not {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        !self.0.holds(value, at)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("anything but {}", self.0.expected(captures))
    }
}
