//! The data that a scripted agent needs from a dialect: the names of frames, and where frames hold them.

use conform_dialect::file::DialectFile;
use conform_dialect::{DialectSource, dialect_file, nested_kinds};
use frame_faults::FrameSelector;
use spanned_yaml::{Node, render_all};

/// The frames of a dialect.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// `NAME@VERSION`.
    pub(crate) dialect: String,
    /// Where an event holds its name, as a JSON Pointer.
    pub(crate) event_pointer: String,
    /// Where a command holds its name, as a JSON Pointer.
    pub(crate) command_pointer: String,
    pub(super) events: Vec<String>,
    pub(super) commands: Vec<String>,
    /// The events that begin a turn.
    pub(crate) turn: FrameSelector,
    /// The longest command, in bytes, if the dialect sets a limit.
    pub(crate) line_limit: Option<usize>,
}

impl Vocabulary {
    /// Loads the dialect of this id, `NAME@VERSION`. Without an id it is the only one of the user's folder.
    ///
    /// # Errors
    /// There is no such dialect, or its file has a mistake.
    pub(crate) fn load(source: &DialectSource, id: Option<&str>) -> Result<Self, String> {
        let id = match id {
            Some(id) => id.to_owned(),
            None => only_dialect(source)?,
        };
        let merged = dialect_file(source, &id).map_err(|errors| render_all(&errors))?;
        let by_structure = merged.file.naming.is_some();
        Vocabulary::new(merged.file).ok_or_else(|| {
            let message = if by_structure {
                "an agent script does not play a dialect with `naming: json-rpc` yet"
            } else {
                "the key `discriminator` with `events` and `commands` is missing"
            };
            merged.root.error(message).to_string()
        })
    }

    fn new(file: DialectFile) -> Option<Self> {
        let nested = nested_kinds(&file);
        let pointers = file.discriminator?;
        let turn = file.session.unwrap_or_default().turn;
        let selector = turn
            .as_ref()
            .and_then(Node::as_str)
            .and_then(|turn| FrameSelector::parse(turn, nested).ok());
        let limit = file.limits.get("command");
        Some(Vocabulary {
            dialect: format!("{}@{}", file.name, file.version),
            event_pointer: pointers.events,
            command_pointer: pointers.commands,
            events: file.events.into_keys().collect(),
            commands: file.commands.into_keys().collect(),
            turn: selector.unwrap_or_default(),
            line_limit: limit.and_then(|limit| usize::try_from(*limit).ok()),
        })
    }
}

fn only_dialect(source: &DialectSource) -> Result<String, String> {
    let names = source.names_in_folder().into_iter();
    let known: Vec<_> = names
        .map(|(name, version)| format!("{name}@{version}"))
        .collect();
    match (known.as_slice(), source.folder()) {
        ([only], _) => Ok(only.clone()),
        ([], Some(folder)) => Err(format!(
            "--dialect-dir {}: there is no NAME/VERSION/dialect.yaml in it",
            folder.display()
        )),
        ([], None) => Err("an agent script without `dialect` needs --dialect-dir".to_owned()),
        (several, _) => Err(format!(
            "choose a dialect with --dialect: {}",
            several.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_delta_changes_the_names_of_its_base() {
        let folder = tempfile::tempdir().unwrap();
        let write = |version: &str, text: &str| {
            let path = folder.path().join("bird").join(version);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("dialect.yaml"), text).unwrap();
        };
        let source = DialectSource::new(Some(folder.path().to_owned()));
        let load = |id: Option<&str>| Vocabulary::load(&source, id);
        assert!(
            load(None)
                .unwrap_err()
                .contains("there is no NAME/VERSION/dialect.yaml")
        );
        write(
            "1",
            "{ name: bird, version: '1', discriminator: { events: /type, commands: /cmd }, events: { hello: , word: }, commands: { say: , quit: }, session: { turn: hello } }",
        );
        let base = load(None).unwrap();
        assert_eq!(base.dialect, "bird@1");
        assert!(base.turn.matches("hello", &json!({})));
        write(
            "2",
            "{ name: bird, version: '2', extends: bird@1, events: { song: }, removed: [word, quit], session: { turn: 'song{/x = 1}' } }",
        );
        assert_eq!(
            load(None).unwrap_err(),
            "choose a dialect with --dialect: bird@1, bird@2"
        );
        let delta = load(Some("bird@2")).unwrap();
        assert_eq!(delta.command_pointer, "/cmd");
        assert_eq!(
            (delta.events, delta.commands),
            (vec!["hello".into(), "song".into()], vec!["say".into()])
        );
        let begins = |x| delta.turn.matches("song", &json!({ "x": x }));
        assert_eq!((begins(1), begins(2)), (true, false));
        write("4", "{ name: bird, version: '4', events: { a: } }");
        for (id, message) in [
            ("bird@9", "unknown dialect `bird@9`"),
            ("bird@4", "the key `discriminator`"),
        ] {
            let why = load(Some(id)).unwrap_err();
            assert!(why.contains(message), "{why}");
        }
    }
}
