//! Checks the names in the faults of a dialect against the names of the dialect.

use crate::compile::INTERNAL;
use crate::table::{FaultTable, Reference, ReferenceKind};
use spanned_yaml::{Error, unknown};

/// The names that faults may use.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    /// Ids of rules, without their dialect.
    pub rules: Vec<String>,
    /// Ids of scenarios, without their dialect.
    pub scenarios: Vec<String>,
    /// Kinds of events.
    pub events: Vec<String>,
    /// Kinds of commands.
    pub commands: Vec<String>,
    /// Behaviors of the reference agent.
    pub behaviors: Vec<String>,
}

impl FaultTable {
    /// An error for each name that is not known, at its place.
    #[must_use]
    pub fn check(&self, known: &KnownNames) -> Vec<Error> {
        let references = self.references.iter();
        references
            .filter_map(|reference| {
                let message = mistake(reference, known)?;
                Some(reference.file.error_at(reference.name.span, message))
            })
            .collect()
    }
}

/// Whether a name in a list of findings is that of a scenario: its id, or `FOLDER/*`.
#[must_use]
pub fn names_scenario(name: &str, id: &str) -> bool {
    let folder = name.strip_suffix('*').filter(|name| name.ends_with('/'));
    name == id || folder.is_some_and(|folder| id.starts_with(folder))
}

fn mistake(reference: &Reference, known: &KnownNames) -> Option<String> {
    let name = reference.name.as_str();
    let (what, name, known) = match reference.kind {
        ReferenceKind::Catcher | ReferenceKind::Listed => match name.strip_prefix("scenario:") {
            Some(scenario) => ("scenario", scenario, &known.scenarios),
            None => ("rule", name, &known.rules),
        },
        ReferenceKind::Frames if name == "any" || INTERNAL.contains(&name) => return None,
        ReferenceKind::Frames => match name.strip_prefix('>') {
            Some(command) => ("command", command, &known.commands),
            None => ("event", name, &known.events),
        },
        ReferenceKind::Behavior => ("behavior", name, &known.behaviors),
    };
    let is_folder = reference.kind == ReferenceKind::Listed && what == "scenario";
    let is_known = |one: &String| one == name || is_folder && names_scenario(name, one);
    let is_known = known.iter().any(is_known);
    (!is_known).then(|| unknown(what, name, known.iter().map(String::as_str)))
}
