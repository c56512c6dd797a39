//! The fault that the user chooses, and the files of a dialect that define it.

use crate::config::DialectFiles;
use frame_faults::FaultTable;
use spanned_yaml::{Error, load_yaml, render_all};
use std::path::{Path, PathBuf};

/// Most dialects that extend one another.
const MAX_DEPTH: usize = 16;

/// A fault as the user chooses it: `ID` or `ID@turn=N`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FaultChoice<'a> {
    pub(crate) id: &'a str,
    /// The turn from which on it is played.
    pub(crate) turn: Option<u32>,
}

impl<'a> FaultChoice<'a> {
    /// Reads the value of `--fault`.
    ///
    /// # Errors
    /// The turn is no number.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let Some((id, turn)) = text.split_once("@turn=") else {
            return Ok(FaultChoice {
                id: text,
                turn: None,
            });
        };
        let turn = turn
            .parse()
            .map_err(|_| format!("--fault: {turn:?} is not a turn's number"))?;
        Ok(FaultChoice {
            id,
            turn: Some(turn),
        })
    }
}

/// The faults of a dialect, from the user's folder of dialects or from the built-in ones.
///
/// # Errors
/// The mistakes in its files.
pub(crate) fn fault_table(
    files: DialectFiles,
    folder: Option<&Path>,
    name: &str,
    version: &str,
) -> Result<FaultTable, String> {
    let texts = fault_files(files, folder, name, version);
    let table = texts
        .map_err(|error| vec![error])
        .and_then(|texts| FaultTable::load(&texts));
    table.map_err(|errors| render_all(&errors))
}

/// The `faults.yaml` of a dialect and of the dialects that it extends, the oldest first.
fn fault_files(
    files: DialectFiles,
    folder: Option<&Path>,
    name: &str,
    version: &str,
) -> Result<Vec<(PathBuf, String)>, Error> {
    let mut texts = Vec::new();
    let (mut name, mut version) = (name.to_owned(), version.to_owned());
    for _ in 0..MAX_DEPTH {
        texts.extend(files(folder, &name, &version, "faults.yaml")?);
        let Some((path, text)) = files(folder, &name, &version, "dialect.yaml")? else {
            break;
        };
        let dialect = load_yaml(path, &text)?;
        let Some(base) = dialect.get("extends").and_then(|base| base.as_str()) else {
            break;
        };
        let (base_name, base_version) = base.split_once('@').unwrap_or((base, ""));
        (name, version) = (base_name.to_owned(), base_version.to_owned());
    }
    texts.reverse();
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(
        _: Option<&Path>,
        name: &str,
        version: &str,
        file: &str,
    ) -> Result<Option<(PathBuf, String)>, Error> {
        let text = match (name, version, file) {
            ("a", "2", "dialect.yaml") => "extends: a@1",
            ("a", "1", "dialect.yaml") => "name: a",
            ("a", "2", "faults.yaml") => "remove: [x]\nfaults: { y: { summary: y, on: e, drop: } }",
            ("a", "1", "faults.yaml") => {
                "faults: { x: { summary: x, on: e, drop: }, z: { summary: z, on: e, twice: } }"
            }
            _ => return Ok(None),
        };
        let path = format!("{name}/{version}/{file}").into();
        Ok(Some((path, text.to_owned())))
    }

    #[test]
    fn a_newer_version_extends_the_faults_of_its_base() {
        let table = fault_table(files, None, "a", "2").unwrap();
        let ids: Vec<_> = table.faults().iter().map(|fault| &*fault.id).collect();
        assert_eq!(ids, ["y", "z"]);
    }

    #[test]
    fn a_fault_is_chosen_by_its_id_and_a_turn() {
        let choice = |id, turn| Ok(FaultChoice { id, turn });
        assert_eq!(FaultChoice::parse("x"), choice("x", None));
        assert_eq!(FaultChoice::parse("x@turn=2"), choice("x", Some(2)));
        let error = Err("--fault: \"two\" is not a turn's number".to_owned());
        assert_eq!(FaultChoice::parse("x@turn=two"), error);
    }
}
