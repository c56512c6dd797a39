//! The faults of a dialect and its legal variants: `faults.yaml` and `variants.yaml` in its folder and in those of its bases.

use crate::file::{DialectFile, FrameSpec};
use crate::merged_files::dialect_file;
use crate::source::DialectSource;
use frame_faults::{Fault, FaultTable, FrameNaming, KindPointers, NestedKinds};
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
#[must_use]
pub fn nested_kinds(file: &DialectFile) -> NestedKinds {
    fn given<'f>(
        (name, spec): (&'f String, &'f Option<FrameSpec>),
    ) -> Option<(&'f String, &'f FrameSpec)> {
        Some((name, spec.as_ref()?))
    }
    let events = file.events.iter().filter_map(given);
    kinds_of(events, file.commands.iter().filter_map(given))
}

/// The same of events and commands.
pub fn kinds_of<'f>(
    events: impl Iterator<Item = (&'f String, &'f FrameSpec)>,
    commands: impl Iterator<Item = (&'f String, &'f FrameSpec)>,
) -> NestedKinds {
    let events = events.map(|(name, spec)| (name.clone(), spec));
    let commands = commands.map(|(name, spec)| (format!(">{name}"), spec));
    let nested = events.chain(commands).filter_map(|(name, spec)| {
        let at = spec.kind.as_deref()?;
        Some((name, Pointer::parse(at).ok()?))
    });
    nested.collect()
}

/// How the frames of a dialect are named; `None` if it has neither `naming` nor `discriminator`.
#[must_use]
pub fn frame_naming(file: &DialectFile) -> Option<FrameNaming> {
    if file.naming.is_some() {
        let own = file.json_rpc.as_ref();
        return Some(FrameNaming::JsonRpc {
            is_version_optional: own.is_some_and(|own| own.version_optional),
        });
    }
    let at = file.discriminator.clone()?;
    Some(FrameNaming::Pointers(KindPointers {
        events: at.events,
        commands: at.commands,
    }))
}
