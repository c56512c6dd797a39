//! Gates that are released and not there, there and never released, or released twice.

use crate::scenario::context::LoadContext;
use crate::scenario::file::ScenarioFile;
use spanned_yaml::{Node, Spanned};
use std::collections::HashSet;

pub(super) fn gates(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let gates: Vec<_> = file
        .model
        .iter()
        .flat_map(|model| model.as_list().unwrap_or_default())
        .flat_map(named)
        .collect();
    let mut released = HashSet::new();
    for release in file.steps.iter().filter_map(|step| step.release.as_ref()) {
        if !context.known(
            "gate",
            release,
            gates.iter().map(|gate| gate.value.as_str()),
        ) {
            continue;
        }
        if !released.insert(release.value.as_str()) {
            context.error(
                release.span,
                format!("the gate `{}` is released already", release.value),
            );
        }
    }
    for gate in gates
        .iter()
        .filter(|gate| !released.contains(gate.value.as_str()))
    {
        context.error(
            gate.span,
            format!("no step releases the gate `{}`", gate.value),
        );
    }
}

/// The gates of one reply.
fn named(reply: &Node) -> Vec<Spanned<String>> {
    let items = reply
        .get("content")
        .and_then(Node::as_list)
        .unwrap_or_default();
    let gates = std::iter::once(reply)
        .chain(items)
        .filter_map(|node| node.get("gate"));
    gates
        .filter_map(|gate| {
            Some(Spanned {
                value: gate.as_str()?.to_owned(),
                span: gate.span(),
            })
        })
        .collect()
}
