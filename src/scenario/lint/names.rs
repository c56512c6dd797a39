//! Capabilities, budgets and wires that do not exist.

use crate::scenario::context::LoadContext;
use crate::scenario::file::ScenarioFile;

pub(super) fn known(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let Some(vocabulary) = context.vocabulary else {
        return;
    };
    for capability in &file.needs {
        context.known(
            "capability",
            capability,
            vocabulary.capabilities.iter().map(String::as_str),
        );
    }
    for budget in file.budgets.keys() {
        context.known(
            "budget",
            budget,
            vocabulary.budgets.iter().map(String::as_str),
        );
    }
    if let Some(wire) = &file.wire {
        context.known("wire", wire, vocabulary.wires.iter().map(String::as_str));
    }
}
