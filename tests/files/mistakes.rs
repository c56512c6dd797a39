//! Error messages of the scenario loader: each file in `tests/mistakes/` is a scenario with a mistake, with the expected message beside it.
//!
//! `SNAPSHOTS=overwrite cargo test --test files mistakes` updates the messages.

use conform_dialect::file::FrameSpec;
use conform_judge::dialect::FrameNames;
use conform_judge::finding::Level;
use conform_judge::schema::Schemas;
use conform_runner::scenario::{ClauseInfo, Vocabulary, load};
use serde_json::{Value, json};
use snapbox::{Data, data::DataFormat};
use spanned_yaml::{load_file, render_all};
use std::path::{Path, PathBuf};

fn names(words: &[&str]) -> FrameNames {
    let names = words
        .iter()
        .map(|word| ((*word).to_owned(), FrameSpec::default()))
        .collect();
    FrameNames {
        discriminator: "/type".to_owned(),
        names,
    }
}

fn vocabulary() -> Vocabulary<'static> {
    let mut events = names(&[
        "ready",
        "text_delta",
        "tool_request",
        "info",
        "error",
        "end",
        "update",
    ]);
    let update = FrameSpec {
        kind: Some("/event/type".to_owned()),
        kinds: vec!["text_start".to_owned(), "text_delta".to_owned()],
    };
    events.names.insert("update".to_owned(), update);
    let clause = |id: &str, strength: Level, untestable: Option<&str>| {
        let untestable = untestable.map(str::to_owned);
        let info = ClauseInfo {
            strength,
            untestable,
        };
        (id.to_owned(), info)
    };
    Vocabulary {
        events,
        commands: names(&["message", "stop"]),
        clauses: [
            clause("demo.ready.once", Level::Should, None),
            clause("demo.ready.first", Level::Should, None),
            clause("demo.turn.ends", Level::Must, None),
            clause(
                "demo.log.stderr",
                Level::May,
                Some("what a log may say is left open."),
            ),
        ]
        .into(),
        capabilities: vec!["tool_approval".to_owned(), "thinking".to_owned()],
        prelude: Vec::new(),
        ending: Vec::new(),
        budgets: vec!["response".to_owned(), "total".to_owned()],
        wires: vec!["anthropic".to_owned(), "openai-chat".to_owned()],
        check_command: Some(Box::new(|command| {
            let is_wrong = command.get("input").is_some_and(|input| !input.is_string());
            is_wrong
                .then(|| ("/input".to_owned(), "`/input` is a number".to_owned()))
                .into_iter()
                .collect()
        })),
        check_members: Some(Box::new(|command| {
            schemas("message").unknown_members("message", command)
        })),
        check_matcher: Some(Box::new(|matcher| match matcher["type"].as_str() {
            Some("tool_request") => schemas("tool_request").contradictions("tool_request", matcher),
            _ => Vec::new(),
        })),
    }
}

/// The schemas of the demo's commands and tool requests.
fn schemas(name: &str) -> Schemas {
    let document = json!({ "$defs": {
        "message": { "properties": { "type": {}, "input": {}, "id": {}, "note": {} } },
        "tool_request": {
            "type": "object",
            "required": ["call"],
            "properties": {
                "call": { "type": "string" },
                "category": { "enum": ["edit", "exec"] },
                "tool": { "type": "object", "properties": { "name": {} }, "additionalProperties": false }
            }
        }
    }});
    Schemas::compile(document, [name].into_iter()).expect("valid schemas")
}

fn error_messages(path: &Path) -> String {
    let result = load_file(path).map_err(|error| vec![error]);
    match result.and_then(|node| load(&node, "mistake", Some(&vocabulary()))) {
        Ok(scenario) => panic!("{} has no mistake: {scenario:?}", path.display()),
        Err(errors) => render_all(&errors),
    }
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("tests/mistakes").expect("the folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    });
    assert!(!files.is_empty(), "tests/mistakes contains no scenario");
    files.sort();
    files
}

#[test]
fn every_mistake_is_reported_with_its_location() {
    for path in files() {
        let expected = Data::read_from(&path.with_extension("txt"), Some(DataFormat::Text)).raw();
        snapbox::assert_data_eq!(error_messages(&path), expected);
    }
}

#[test]
fn every_message_belongs_to_a_mistake() {
    for entry in std::fs::read_dir("tests/mistakes").expect("the folder") {
        let path = entry.expect("an entry").path();
        assert!(
            path.with_extension("yaml").is_file(),
            "{} has no scenario",
            path.display()
        );
    }
}

#[test]
fn a_valid_scenario_loads_completely() {
    let node = load_file(Path::new("tests/good/everything.yaml")).expect("good YAML");
    let scenario = load(&node, "everything", Some(&vocabulary()))
        .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
    assert_eq!(scenario.steps.len(), 19);
    assert!(matches!(scenario.model, Value::Array(ref replies) if replies.len() == 2));
}
