//! The faults of a dialect: `faults.yaml` in its folder and in those of its bases.

use crate::source::DialectSource;
use frame_faults::FaultTable;
use spanned_yaml::Error;

/// The file in the folder of a dialect.
const FILE: &str = "faults.yaml";

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
