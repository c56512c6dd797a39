//! `$gte`, `$gt`, `$lte`, `$lt`, `$ne`.

use super::{Check, Compiled, operand};
use crate::matcher::Captures;
use crate::matcher::pattern::{At, Pattern};
use serde_json::{Number, Value};
use spanned_yaml::{Kind, Node, Piece, pieces};
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

pub(super) fn gte(node: &Node) -> Compiled {
    bound(node, "at least", Ordering::is_ge)
}

pub(super) fn gt(node: &Node) -> Compiled {
    bound(node, "more than", Ordering::is_gt)
}

pub(super) fn lte(node: &Node) -> Compiled {
    bound(node, "at most", Ordering::is_le)
}

pub(super) fn lt(node: &Node) -> Compiled {
    bound(node, "less than", Ordering::is_lt)
}

pub(super) fn ne(node: &Node) -> Compiled {
    Ok(Arc::new(NotEqual(operand::matcher(node)?)))
}

fn bound(node: &Node, words: &'static str, accepts: fn(Ordering) -> bool) -> Compiled {
    let is_place = |text: &str| matches!(pieces(text).as_slice(), [Piece::Place(_)]);
    match node.kind() {
        Kind::Number(_) => {}
        Kind::Text(text) if is_place(text) => {}
        _ => {
            return Err(operand::wanted(
                node,
                "a number, or a captured one as \"{name}\"",
            ));
        }
    }
    Ok(Arc::new(Bound {
        words,
        accepts,
        limit: operand::matcher(node)?,
    }))
}

impl Check for Bound {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let limit = self.limit.literal(at.captures);
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

/// Integers exactly, all else as floats.
fn order(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

impl Check for NotEqual {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        value.is_some() && !self.0.holds(value, at)
    }

    fn expected(&self, captures: &Captures) -> String {
        format!("anything but {}", self.0.expected(captures))
    }
}
