//! `$absent`, `$present`.

use super::{Check, Compiled, operand};
use crate::matcher::Captures;
use crate::matcher::pattern::At;
use serde_json::Value;
use spanned_yaml::{Kind, Node};
use std::sync::Arc;

#[derive(Debug)]
struct Presence {
    wanted: bool,
}

pub(super) fn absent(node: &Node) -> Compiled {
    presence(node, false)
}

pub(super) fn present(node: &Node) -> Compiled {
    presence(node, true)
}

fn presence(node: &Node, wanted: bool) -> Compiled {
    match node.kind() {
        Kind::Bool(true) => Ok(Arc::new(Presence { wanted })),
        _ => Err(operand::wanted(node, "`true`")),
    }
}

impl Check for Presence {
    fn holds(&self, value: Option<&Value>, _: &At<'_>) -> bool {
        value.is_some() == self.wanted
    }

    fn expected(&self, _: &Captures) -> String {
        if self.wanted {
            "any value".to_owned()
        } else {
            "nothing".to_owned()
        }
    }
}
