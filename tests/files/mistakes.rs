//! Error messages of the scenario loader: each file in `tests/mistakes/` is a scenario with a mistake, with the expected message beside it.
//!
//! `SNAPSHOTS=overwrite cargo test --test files mistakes` updates the messages.

use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_runner::scenario::load;
use serde_json::Value;
use snapbox::{Data, data::DataFormat};
use spanned_yaml::{load_file, render_all};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The dialect of the scenarios: its files.
const DEMO: [(&str, &str); 4] = [
    (
        "dialect.yaml",
        r#"
name: demo
version: "1"
discriminator: { events: /type, commands: /type }
events:
  ready:
  text_delta:
  tool_request:
  info:
  error:
  end:
  update: { kind: /event/type, kinds: [text_start, text_delta] }
commands: { message: , stop: }
session: { ready: ready, turn: text_delta }
capabilities:
  tool_approval: { event: ready, at: /tool_approval }
  thinking: { event: ready, at: /thinking }
budgets: { response: 2s, total: 60s }
launch: { wires: { anthropic: {}, openai-chat: {} } }
"#,
    ),
    (
        "clauses.yaml",
        r#"
"1":
  demo.ready.once: { strength: should, text: Once. }
  demo.ready.first: { strength: should, text: First. }
"2": { demo.turn.ends: It ends. }
"3": { demo.log.stderr: { strength: may, text: It may log., untestable: what a log may say is left open. } }
"#,
    ),
    (
        "events.json",
        r#"{ "$defs": {
  "ready": { "type": "object" }, "text_delta": { "type": "object" }, "info": { "type": "object" }, "error": { "type": "object" },
  "end": { "type": "object" }, "update": { "type": "object" }, "update.text_start": { "type": "object" }, "update.text_delta": { "type": "object" },
  "tool_request": {
    "type": "object",
    "required": ["call"],
    "properties": {
      "call": { "type": "string" },
      "category": { "enum": ["edit", "exec"] },
      "tool": { "type": "object", "properties": { "name": {} }, "additionalProperties": false }
    }
  }
} }"#,
    ),
    (
        "commands.json",
        r#"{ "$defs": {
  "message": { "properties": { "type": {}, "input": { "type": "string" }, "id": {}, "note": {} } },
  "stop": { "properties": { "type": {}, "input": { "type": "string" }, "id": {}, "note": {} } }
} }"#,
    ),
];

static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("demo/1");
    std::fs::create_dir_all(&at).expect("a folder");
    for (name, text) in DEMO {
        std::fs::write(at.join(name), text).expect("a file");
    }
    let source = DialectSource::new(Some(folder.path().to_owned()));
    dialect::load(&source, "demo@1").unwrap_or_else(|errors| panic!("{}", render_all(&errors)))
});

fn error_messages(path: &Path) -> String {
    let result = load_file(path).map_err(|error| vec![error]);
    match result.and_then(|node| load(&node, "mistake", Some(&DIALECT))) {
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
    let scenario = load(&node, "everything", Some(&DIALECT))
        .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
    assert_eq!(scenario.steps.len(), 19);
    assert!(matches!(scenario.model, Value::Array(ref replies) if replies.len() == 2));
}
