//! The faults of a dialect: `faults.yaml` in its folder and in those of its bases.

use super::{Dialect, DialectSource};
use frame_faults::{FaultTable, KnownNames};
use spanned_yaml::Error;

/// The file in the folder of a dialect.
const FILE: &str = "faults.yaml";

/// The dialects whose files are merged into the faults of a dialect: its oldest base first, itself last.
#[must_use]
pub fn fault_sources(dialect: &Dialect) -> Vec<String> {
    let bases = dialect.bases.iter().rev().map(|base| base.id.clone());
    bases.chain([dialect.id()]).collect()
}

/// The faults of a dialect, from the files of these dialects in their order; `None` if none of them has such a file.
///
/// # Errors
/// A file that cannot be read, and every mistake in the files, with its place.
pub fn faults(
    source: &DialectSource,
    dialects: &[String],
) -> Result<Option<FaultTable>, Vec<Error>> {
    let mut files = Vec::new();
    for id in dialects {
        let Some((name, version)) = id.split_once('@') else {
            continue;
        };
        let file = source
            .read(name, version, FILE)
            .map_err(|error| vec![error])?;
        files.extend(file.map(|(path, text)| (path, text.into_owned())));
    }
    match files.is_empty() {
        true => Ok(None),
        false => FaultTable::load(&files).map(Some),
    }
}

/// The names of a dialect that its faults may use. Scenarios and behaviors of the reference agent are no part of a dialect: the caller
/// adds them.
#[must_use]
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
