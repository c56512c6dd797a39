//! What a state variable holds, which follows from its changes.

use super::variables::StateFile;
use serde::Deserialize;
use spanned_yaml::{Error, Node, unknown};

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// One JSON value, or nothing yet.
    Value,
    /// Values, each once.
    Set,
    /// Values by key.
    Map,
    /// Values in order.
    List,
    /// A number that is counted up.
    Count,
}

use VariableKind::{Count, List, Map, Set, Value};

/// Every change by its name, and the kinds of variables that it is for.
const CHANGES: &[(&str, &[VariableKind])] = &[
    ("set", &[Value]),
    ("add", &[Set]),
    ("remove", &[Set, Map]),
    ("put", &[Map]),
    ("concat", &[Map]),
    ("append", &[List]),
    ("take", &[List]),
    ("increment", &[Count]),
    ("clear", &[Value, Set, Map, List, Count]),
];

impl VariableKind {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}

impl StateFile {
    /// What the variable holds.
    ///
    /// # Errors
    /// A change that is not valid, or that does not fit the changes before it.
    pub fn kind(&self) -> Result<VariableKind, Error> {
        if self.owed.is_some() {
            return Ok(List);
        }
        let mut kinds = vec![Value, Set, Map, List, Count];
        for change in self.changes() {
            let verbs = change.as_map().unwrap_or_default().iter();
            let mut verbs = verbs.map(|(key, _)| key.name.as_str());
            let verb = verbs.find(|verb| *verb != "for").or(change.as_str());
            let verb = verb.ok_or_else(|| {
                let known: Vec<_> = CHANGES.iter().map(|(name, _)| *name).collect();
                change.error(format!("a change was expected: {}", known.join(", ")))
            })?;
            let (_, fits) = CHANGES
                .iter()
                .find(|(name, _)| *name == verb)
                .ok_or_else(|| {
                    let known = CHANGES.iter().map(|(name, _)| *name);
                    change.error(unknown("change", verb, known))
                })?;
            let held = kinds[0];
            kinds.retain(|kind| fits.contains(kind));
            if kinds.is_empty() {
                let message = format!(
                    "`{verb}` does not go with the other changes, which make the variable a {}",
                    held.word()
                );
                return Err(change.error(message));
            }
        }
        Ok(kinds[0])
    }

    /// Every change under `on`.
    fn changes(&self) -> impl Iterator<Item = &Node> {
        let each = self.on.as_ref().and_then(Node::as_map).unwrap_or_default();
        let each = each.iter().map(|(_, changes)| changes);
        each.flat_map(|changes| changes.as_list().unwrap_or(std::slice::from_ref(changes)))
    }
}
