//! What is written anywhere in the actions of an agent script.

use super::file::{ActionFile, AgentScriptFile};
use std::collections::HashSet;

/// The lists of actions in an action.
fn inner(action: &ActionFile) -> Vec<&[ActionFile]> {
    match action {
        ActionFile::ForEach(each) => vec![&each.actions],
        ActionFile::If(choice) => vec![&choice.actions, &choice.otherwise],
        ActionFile::WaitFor(wait) => {
            let awaited = wait.commands.iter().map(|one| one.actions.as_slice());
            awaited.chain([wait.on_timeout.as_slice()]).collect()
        }
        _ => Vec::new(),
    }
}

/// The names that actions set, at any depth.
pub(super) fn names_set(actions: &[ActionFile]) -> Vec<String> {
    let mut found = Vec::new();
    for action in actions {
        match action {
            ActionFile::Set(values) => found.extend(values.keys().map(|key| key.value.clone())),
            ActionFile::Count(name) => found.push(name.value.clone()),
            ActionFile::ForEach(each) => {
                found.push(each.name.value.clone());
                found.extend(each.index.iter().map(|name| name.value.clone()));
            }
            ActionFile::WaitFor(wait) => {
                let captures = wait.commands.iter().flat_map(|one| one.capture.keys());
                found.extend(captures.map(|key| key.value.clone()));
            }
            _ => {}
        }
        found.extend(inner(action).into_iter().flat_map(names_set));
    }
    found
}

/// The names of all gates.
pub(super) fn gates(file: &AgentScriptFile) -> HashSet<String> {
    fn collect(actions: &[ActionFile], found: &mut HashSet<String>) {
        for action in actions {
            if let ActionFile::Gate(name) = action {
                found.insert(name.value.clone());
            }
            for actions in inner(action) {
                collect(actions, found);
            }
        }
    }
    let mut found = HashSet::new();
    let entries = file.commands.iter().flatten();
    let replies = entries.map(|entry| &entry.actions);
    let others = [
        &file.start,
        &file.session,
        &file.unknown,
        &file.malformed,
        &file.end_of_input,
        &file.terminate,
    ];
    for actions in replies.chain(others) {
        collect(actions, &mut found);
    }
    found
}
