//! The data that a scripted agent needs from a dialect: the names of frames, and where frames hold them.

use conform_dialect::file::{DialectFile, FrameSpec};
use conform_dialect::{DialectSource, FrameNames, dialect_file, frame_naming, nested_kinds};
use frame_faults::{FrameNaming, FrameSelector};
use indexmap::IndexMap;
use spanned_yaml::{Node, render_all};

/// The frames of a dialect.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// `NAME@VERSION`.
    pub(crate) dialect: String,
    /// How faults name frames.
    pub(crate) naming: FrameNaming,
    pub(super) events: FrameNames,
    pub(super) commands: FrameNames,
    /// The first letters of methods that each side may add.
    pub(super) extensions: Vec<String>,
    /// The frames that begin a turn.
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
        Vocabulary::new(merged.file).ok_or_else(|| {
            let message = "the key `discriminator` with `events` and `commands` is missing";
            merged.root.error(message).to_string()
        })
    }

    fn new(file: DialectFile) -> Option<Self> {
        let nested = nested_kinds(&file);
        let naming = frame_naming(&file)?;
        let json_rpc = file.json_rpc.unwrap_or_default();
        let turn = file.session.unwrap_or_default().turn;
        let selector = turn
            .as_ref()
            .and_then(Node::as_str)
            .and_then(|turn| FrameSelector::parse(turn, nested).ok());
        let limit = file.limits.get("command");
        let specs = |names: IndexMap<String, Option<FrameSpec>>| -> IndexMap<String, FrameSpec> {
            let specs = names.into_iter();
            let specs = specs.map(|(name, spec)| (name, spec.unwrap_or_default()));
            specs.collect()
        };
        let (events, commands) = (specs(file.events), specs(file.commands));
        let (events, commands) = match &naming {
            FrameNaming::JsonRpc {
                is_version_optional,
            } => (
                FrameNames::by_structure(events.clone(), &commands, *is_version_optional),
                FrameNames::by_structure(commands, &events, *is_version_optional),
            ),
            FrameNaming::Pointers(at) => {
                let named = |names, at: &String| FrameNames {
                    discriminator: at.clone(),
                    names,
                    structure: None,
                };
                (named(events, &at.events), named(commands, &at.commands))
            }
        };
        Some(Vocabulary {
            dialect: format!("{}@{}", file.name, file.version),
            naming,
            events,
            commands,
            extensions: json_rpc.extensions,
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
        assert_eq!(delta.commands.discriminator, "/cmd");
        let names = |names: &FrameNames| names.names.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&delta.events), ["hello", "song"]);
        assert_eq!(names(&delta.commands), ["say"]);
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
