//! The files of the workspace, before and after.

use super::charge::Charge;
use super::{Player, Stop};
use crate::matcher::{Captures, render_text};
use crate::runner::rules;
use crate::runner::scratch::{Room, write_below};
use crate::scenario::Scenario;
use crate::scenario::types::FileAfter;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// The most of a file that is compared.
const LONGEST: u64 = 16 << 20;

/// Writes the scenario's files.
pub(super) fn before(scenario: &Scenario, room: &Room, places: &Captures) -> Result<(), Stop> {
    for (path, text) in &scenario.files {
        let broken = |why: String| {
            Stop::Broken(format!(
                "{}: the file {path}: {why}",
                scenario.path.display()
            ))
        };
        let text = render_text(text, places).map_err(|unknown| broken(unknown.to_string()))?;
        write_below(&room.workspace, path, &text).map_err(|error| broken(error.to_string()))?;
    }
    Ok(())
}

impl Player {
    /// Looks at the files that the scenario says something of.
    pub(super) fn files_after(&mut self) -> Result<(), Stop> {
        let scenario = Arc::clone(&self.scenario);
        self.step = scenario.steps.len();
        for (path, wanted) in &scenario.files_after {
            let fill = |text: &str| {
                render_text(text, &self.captures).map_err(|unknown| {
                    Stop::Broken(format!("{}: {unknown}", scenario.path.display()))
                })
            };
            let wanted = match wanted {
                FileAfter::Equals(text) => FileAfter::Equals(fill(text)?),
                FileAfter::Contains(text) => FileAfter::Contains(fill(text)?),
                other => other.clone(),
            };
            match difference(&self.room.workspace.join(path), &wanted) {
                None => self.met.extend(scenario.clauses.iter().cloned()),
                Some(found) => self.charge(Charge {
                    key: Some(path.clone()),
                    expected: vec![describe(&wanted)],
                    ..Charge::new(rules::FILES_AFTER, format!("{path} {found}"))
                }),
            }
        }
        Ok(())
    }
}

/// What is wrong with a file, as the rest of a sentence.
fn difference(path: &Path, wanted: &FileAfter) -> Option<String> {
    let exists = match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Some(format!("cannot be looked at: {error}")),
    };
    let (text, whole) = match wanted {
        FileAfter::Absent => return exists.then(|| "is there".to_owned()),
        _ if !exists => return Some("is not there".to_owned()),
        FileAfter::Present => return None,
        FileAfter::Equals(text) => (text, true),
        FileAfter::Contains(text) => (text, false),
    };
    match read(path) {
        Err(why) => Some(why),
        Ok(found) if whole && found == *text || !whole && found.contains(text.as_str()) => None,
        Ok(found) => Some(format!("holds {}", brief(&found))),
    }
}

fn read(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let about = path.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err("is no plain file".to_owned());
    }
    if about.len() > LONGEST {
        return Err(format!("is {} bytes long", about.len()));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn describe(wanted: &FileAfter) -> String {
    match wanted {
        FileAfter::Absent => "no such file".to_owned(),
        FileAfter::Present => "a file".to_owned(),
        FileAfter::Equals(text) => brief(text),
        FileAfter::Contains(text) => format!("a text that holds {}", brief(text)),
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{:?}… ({} characters)", &text[..end], text.chars().count()),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::scratch::Scratch;

    #[test]
    fn a_file_is_held_against_what_is_wanted_of_it() {
        let scratch = Scratch::new().unwrap();
        let room = scratch.room().unwrap();
        write_below(&room.workspace, "a.txt", "one\ntwo\n").unwrap();
        let equals = |text: &str| FileAfter::Equals(text.to_owned());
        let contains = |text: &str| FileAfter::Contains(text.to_owned());
        for (path, wanted, right) in [
            ("a.txt", FileAfter::Present, true),
            ("a.txt", FileAfter::Absent, false),
            ("a.txt", equals("one\ntwo\n"), true),
            ("a.txt", equals("one\n"), false),
            ("a.txt", contains("two"), true),
            ("a.txt", contains("three"), false),
            ("b.txt", FileAfter::Absent, true),
            ("b.txt", FileAfter::Present, false),
            ("b.txt", contains(""), false),
            (".", equals(""), false),
        ] {
            let found = difference(&room.workspace.join(path), &wanted);
            assert_eq!(found.is_none(), right, "{path} {wanted:?} {found:?}");
        }
    }
}
