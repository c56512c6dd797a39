//! What operators take.

use crate::matcher::compile;
use crate::matcher::pattern::Pattern;
use spanned_yaml::{Error, Node};

/// A matcher.
pub(super) fn matcher(node: &Node) -> Result<Pattern, Vec<Error>> {
    let mut errors = Vec::new();
    compile::pattern(node, &mut errors)
        .filter(|_| errors.is_empty())
        .ok_or(errors)
}

/// A list of matchers, at least one.
pub(super) fn matchers(node: &Node) -> Result<Vec<Pattern>, Vec<Error>> {
    let mut errors = Vec::new();
    let items = list(node)?;
    compile::patterns(items, &mut errors)
        .filter(|_| errors.is_empty())
        .ok_or(errors)
}

/// A list, not empty.
pub(super) fn list(node: &Node) -> Result<&[Node], Vec<Error>> {
    let items = node.as_list().filter(|items| !items.is_empty());
    items.ok_or_else(|| wanted(node, "a list with at least one element"))
}

/// The error for an operand of the wrong kind.
pub(super) fn wanted(node: &Node, what: &str) -> Vec<Error> {
    vec![node.error(format!("expected {what}, found {}", node.describe()))]
}
