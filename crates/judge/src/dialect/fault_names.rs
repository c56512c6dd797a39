//! What the faults of a dialect may name, and the files that they stand in.

use super::Dialect;
use frame_faults::KnownNames;

/// The dialects whose files are merged into the faults of a dialect: its oldest base first, itself last.
pub fn fault_sources(dialect: &Dialect) -> Vec<String> {
    let bases = dialect.bases.iter().rev().map(|base| base.id.clone());
    bases.chain([dialect.id()]).collect()
}

/// The names of a dialect that its faults may use. Scenarios and behaviors of the reference agent are not part of a dialect: the caller
/// adds them.
pub fn names_for_faults(dialect: &Dialect) -> KnownNames {
    let prefix = format!("{}/", dialect.name);
    let own = |id: &str| id.strip_prefix(&prefix).unwrap_or(id).to_owned();
    KnownNames {
        rules: dialect.rules.iter().map(|rule| own(&rule.id)).collect(),
        events: dialect.events.names.keys().cloned().collect(),
        commands: dialect.commands.names.keys().cloned().collect(),
        ..KnownNames::default()
    }
}
