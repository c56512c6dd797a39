//! What a scripted agent needs of a dialect: the names of frames, and where frames hold them.

use conform_dialect::file::DialectFile;
use conform_dialect::{DialectSource, dialect_file};
use spanned_yaml::{Node, render_all};

/// The frames of a dialect.
#[derive(Debug, Default, PartialEq, Eq)]
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
    pub(crate) turn_events: Vec<String>,
    /// The longest command, in bytes, if the dialect sets a limit.
    pub(crate) line_limit: Option<usize>,
}

impl Vocabulary {
    /// Loads the dialect of this id, `NAME@VERSION`. Without an id it is the only one of the user's folder.
    ///
    /// # Errors
    /// There is no such dialect, or its file has a mistake.
    pub(crate) fn load(source: &DialectSource, id: Option<&str>) -> Result<Self, String> {
        let id = id.map_or_else(|| only_dialect(source), |id| Ok(id.to_owned()))?;
        let merged = dialect_file(source, &id).map_err(|errors| render_all(&errors))?;
        Vocabulary::new(merged.file).ok_or_else(|| {
            let message = "the key `discriminator` with `events` and `commands` is missing";
            merged.root.error(message).to_string()
        })
    }

    fn new(file: DialectFile) -> Option<Self> {
        let pointers = file.discriminator?;
        let turn = file.session.unwrap_or_default().turn;
        let limit = file.limits.get("command");
        Some(Vocabulary {
            dialect: format!("{}@{}", file.name, file.version),
            event_pointer: pointers.events,
            command_pointer: pointers.commands,
            events: file.events.into_keys().collect(),
            commands: file.commands.into_keys().collect(),
            turn_events: turn.as_ref().map(plain_events).unwrap_or_default(),
            line_limit: limit.and_then(|limit| usize::try_from(*limit).ok()),
        })
    }
}

/// The events of a pattern that is a list of names, `a | b`; none for any other pattern.
fn plain_events(pattern: &Node) -> Vec<String> {
    let text = pattern.as_str().unwrap_or_default();
    let names = text.split('|').map(str::trim);
    let is_name = |name: &str| {
        let letter = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        !name.is_empty() && name.chars().all(letter)
    };
    match names.clone().all(is_name) {
        true => names.map(str::to_owned).collect(),
        false => Vec::new(),
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
        assert_eq!(
            (base.dialect.as_str(), base.turn_events.len()),
            ("bird@1", 1)
        );
        write(
            "2",
            "{ name: bird, version: '2', extends: bird@1, events: { song: }, removed: [word, quit], session: { turn: 'song {x=1}' } }",
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
        assert_eq!(delta.turn_events, Vec::<String>::new());
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
