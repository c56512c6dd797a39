//! The few keys of `dialect.yaml` that a scripted agent needs: the names of frames, and where frames hold them.

use crate::config::DialectFiles;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, unknown};
use std::path::{Path, PathBuf};

/// The frames of a dialect.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    /// `NAME@VERSION`.
    pub(super) dialect: String,
    /// Where an event holds its name, as a JSON Pointer.
    pub(super) event_pointer: String,
    /// Where a command holds its name, as a JSON Pointer.
    pub(super) command_pointer: String,
    pub(super) events: IndexSet<String>,
    pub(super) commands: IndexSet<String>,
    /// The events that begin a turn.
    pub(super) turn_events: Vec<String>,
    /// The longest command, in bytes.
    pub(super) line_limit: Option<usize>,
}

/// The keys of `dialect.yaml` that matter here; all others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DialectKeys {
    extends: Option<Spanned<String>>,
    discriminator: Option<DiscriminatorKeys>,
    events: IndexMap<String, Node>,
    commands: IndexMap<String, Node>,
    removed: Vec<String>,
    session: Option<SessionKeys>,
    limits: LimitKeys,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DiscriminatorKeys {
    events: String,
    commands: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SessionKeys {
    turn: Option<Node>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LimitKeys {
    command: Option<usize>,
}

/// Most dialects that extend one another.
const MAX_DEPTH: usize = 16;

impl Vocabulary {
    /// Loads the dialect of this id, `NAME@VERSION`. Without an id it is the only one of the folder.
    ///
    /// # Errors
    /// There is no such dialect, or its file has a mistake.
    pub(crate) fn load(
        files: DialectFiles,
        folder: Option<&Path>,
        id: Option<&str>,
    ) -> Result<Self, String> {
        let id = match id {
            Some(id) => id.to_owned(),
            None => only_dialect(folder)?,
        };
        let mut vocabulary = Vocabulary::default();
        vocabulary.add(files, folder, &id, 0)?;
        vocabulary.dialect = id;
        Ok(vocabulary)
    }

    /// The name and the version of the dialect; the version may be empty for the newest.
    pub(crate) fn id(&self) -> (&str, &str) {
        self.dialect.split_once('@').unwrap_or((&self.dialect, ""))
    }

    /// Where events and commands hold their names.
    pub(crate) fn pointers(&self) -> (&str, &str) {
        (&self.event_pointer, &self.command_pointer)
    }

    /// The events that begin a turn.
    pub(crate) fn turn_events(&self) -> &[String] {
        &self.turn_events
    }

    /// The longest command, in bytes, if the dialect sets a limit.
    pub(crate) fn line_limit(&self) -> Option<usize> {
        self.line_limit
    }

    /// Adds a dialect, after the one that it extends.
    fn add(
        &mut self,
        files: DialectFiles,
        folder: Option<&Path>,
        id: &str,
        depth: usize,
    ) -> Result<(), String> {
        let missing = || {
            let known = dialects_in(folder);
            unknown("dialect", id, known.iter().map(String::as_str))
        };
        let (name, version) = id.split_once('@').unwrap_or((id, ""));
        let read =
            files(folder, name, version, "dialect.yaml").map_err(|error| error.to_string())?;
        let (path, text) = read.ok_or_else(missing)?;
        let node = spanned_yaml::load_yaml(path, &text).map_err(|error| error.to_string())?;
        let keys: DialectKeys = spanned_yaml::decode(&node).map_err(|error| error.to_string())?;
        if let Some(base) = &keys.extends {
            if depth == MAX_DEPTH {
                let error =
                    node.error_at(base.span, "the chain of `extends` is circular or too long");
                return Err(error.to_string());
            }
            self.add(files, folder, base, depth + 1)?;
        }
        self.merge(keys);
        if self.event_pointer.is_empty() || self.command_pointer.is_empty() {
            let message = "the key `discriminator` with `events` and `commands` is missing";
            return Err(node.error(message).to_string());
        }
        Ok(())
    }

    fn merge(&mut self, keys: DialectKeys) {
        for name in &keys.removed {
            self.events.shift_remove(name);
            self.commands.shift_remove(name);
        }
        self.events.extend(keys.events.into_keys());
        self.commands.extend(keys.commands.into_keys());
        if let Some(pointers) = keys.discriminator {
            self.event_pointer = pointers.events;
            self.command_pointer = pointers.commands;
        }
        if let Some(session) = keys.session {
            self.turn_events = session.turn.as_ref().map(plain_events).unwrap_or_default();
        }
        self.line_limit = keys.limits.command.or(self.line_limit);
    }
}

/// The events of a pattern that is a list of names, `a | b`; none for any other pattern.
fn plain_events(pattern: &Node) -> Vec<String> {
    let names = pattern
        .as_str()
        .unwrap_or_default()
        .split('|')
        .map(str::trim);
    let is_name = |name: &str| {
        let letter = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        !name.is_empty() && name.chars().all(letter)
    };
    match names.clone().all(is_name) {
        true => names.map(str::to_owned).collect(),
        false => Vec::new(),
    }
}

/// The dialects of a folder, as `NAME@VERSION`, sorted.
fn dialects_in(folder: Option<&Path>) -> Vec<String> {
    let mut found = Vec::new();
    for name in folder.map(folders).unwrap_or_default() {
        for version in folders(&name) {
            if version.join("dialect.yaml").is_file() {
                found.push(format!("{}@{}", last(&name), last(&version)));
            }
        }
    }
    found.sort();
    found
}

fn only_dialect(folder: Option<&Path>) -> Result<String, String> {
    let known = dialects_in(folder);
    match (known.as_slice(), folder) {
        ([only], _) => Ok(only.clone()),
        ([], Some(folder)) => Err(format!(
            "--dialect-dir {}: there is no NAME/VERSION/dialect.yaml in it",
            folder.display()
        )),
        ([], None) => Err("--script with --dialect needs --dialect-dir".to_owned()),
        (several, _) => Err(format!(
            "choose a dialect with --dialect: {}",
            several.join(", ")
        )),
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}

fn last(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "name: bird\ndiscriminator: { events: /type, commands: /cmd }\nevents: { hello: , word: }\ncommands: { say: , quit: }\nsession: { turn: hello }\nclasses: { x: [y] }\n";

    fn files(
        _: Option<&Path>,
        name: &str,
        version: &str,
        file: &str,
    ) -> Result<Option<(PathBuf, String)>, spanned_yaml::Error> {
        let text = match (name, version) {
            ("bird", "1") => BASE.to_owned(),
            ("bird", "2") => "extends: bird@1\nevents: { song: }\nremoved: [word, quit]\nsession: { turn: 'song {x=1}' }\n".to_owned(),
            ("bird", "3") => "extends: bird@3\n".to_owned(),
            ("bird", "4") => "events: { a: }\n".to_owned(),
            _ => return Ok(None),
        };
        Ok(Some((
            PathBuf::from(format!("{name}/{version}/{file}")),
            text,
        )))
    }

    fn loaded(id: &str) -> Result<Vocabulary, String> {
        Vocabulary::load(files, None, Some(id))
    }

    #[test]
    fn a_delta_changes_the_names_of_its_base() {
        let base = loaded("bird@1").unwrap();
        assert_eq!(base.turn_events, ["hello"]);
        let delta = loaded("bird@2").unwrap();
        assert_eq!(delta.command_pointer, "/cmd");
        assert!(delta.events.iter().eq(["hello", "song"]));
        assert!(delta.commands.iter().eq(["say"]));
        assert_eq!(delta.turn_events, Vec::<String>::new());
    }

    #[test]
    fn each_mistake_is_one_message() {
        for (id, message) in [
            ("bird@9", "unknown dialect `bird@9`"),
            (
                "bird@3",
                "the chain of `extends` is circular or too long\n --> bird/3/dialect.yaml:1:10",
            ),
            ("bird@4", "the key `discriminator`"),
        ] {
            let why = loaded(id).unwrap_err();
            assert!(why.starts_with(message), "{why}");
        }
    }

    #[test]
    fn the_only_dialect_of_a_folder_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let only = || only_dialect(Some(folder.path()));
        assert!(
            only()
                .unwrap_err()
                .contains("there is no NAME/VERSION/dialect.yaml")
        );
        for (version, expected) in [
            ("1", Ok("bird@1".to_owned())),
            (
                "2",
                Err("choose a dialect with --dialect: bird@1, bird@2".to_owned()),
            ),
        ] {
            let path = folder.path().join("bird").join(version);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("dialect.yaml"), BASE).unwrap();
            assert_eq!(only(), expected);
        }
    }
}
