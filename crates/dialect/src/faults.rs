//! The faults of a dialect and its legal variants: `faults.yaml` and `variants.yaml` in its folder and in those of its bases.

use crate::file::DialectFile;
use crate::merged_files::dialect_file;
use crate::source::DialectSource;
use frame_faults::{Fault, FaultTable, NestedKinds};
use frame_language::Pointer;
use spanned_yaml::Error;
use std::path::PathBuf;

/// The files in the folder of a dialect.
const FILES: [&str; 2] = ["faults.yaml", "variants.yaml"];

/// The faults and variants of a dialect, from the files of these dialects in their order; `None` if none of them has such a file.
///
/// # Errors
/// A file that cannot be read, and every mistake in the files, with its place.
pub fn faults(
    source: &DialectSource,
    dialects: &[String],
) -> Result<Option<FaultTable>, Vec<Error>> {
    let files = files_of(source, dialects).map_err(|error| vec![error])?;
    match dialects.last() {
        Some(id) if !files.is_empty() => {
            let file = dialect_file(source, id)?.file;
            FaultTable::load(&files, nested_kinds(&file)).map(Some)
        }
        _ => Ok(None),
    }
}

/// One fault or variant of the dialect `NAME@VERSION`, without reading the others; `None` if [`faults`] must find it, or report why it
/// cannot be found.
#[must_use]
pub fn fault(source: &DialectSource, dialect: &str, id: &str) -> Option<Fault> {
    let merged = dialect_file(source, dialect).ok()?;
    let files = files_of(source, &merged.sources).ok()?;
    FaultTable::load_one(&files, id, nested_kinds(&merged.file))
}

/// The path and the text of each file.
fn files_of(source: &DialectSource, dialects: &[String]) -> Result<Vec<(PathBuf, String)>, Error> {
    let mut files = Vec::new();
    for (name, version) in dialects.iter().filter_map(|id| id.split_once('@')) {
        for file in FILES {
            let file = source.read(name, version, file)?;
            files.extend(file.map(|(path, text)| (path, text.into_owned())));
        }
    }
    Ok(files)
}

/// Where the frames of a dialect name their nested kind.
pub fn nested_kinds(file: &DialectFile) -> NestedKinds {
    let events = file.events.iter().map(|(name, spec)| (name.clone(), spec));
    let commands = file.commands.iter();
    let commands = commands.map(|(name, spec)| (format!(">{name}"), spec));
    let nested = events.chain(commands).filter_map(|(name, spec)| {
        let at = spec.as_ref()?.kind.as_deref()?;
        Some((name, Pointer::parse(at).ok()?))
    });
    nested.collect()
}
