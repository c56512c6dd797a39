//! Each file of `tests/mistakes/` is a scenario with a mistake; beside it stands what is said about it.
//!
//! `SNAPSHOTS=overwrite cargo test --test mistakes` writes the answers anew.

use conform::located::{load_file, render_all};
use conform::scenario::{Frames, Kinds, Vocabulary, load};
use serde_json::Value;
use snapbox::{Data, data::DataFormat};
use std::path::{Path, PathBuf};

fn names(words: &[&str]) -> Frames {
    let names = words
        .iter()
        .map(|word| ((*word).to_owned(), None))
        .collect();
    Frames {
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
    let kinds = Kinds {
        pointer: "/event/type".to_owned(),
        names: vec!["text_start".to_owned(), "text_delta".to_owned()],
    };
    events.names.insert("update".to_owned(), Some(kinds));
    let clause =
        |id: &str, untestable: Option<&str>| (id.to_owned(), untestable.map(str::to_owned));
    Vocabulary {
        events,
        commands: names(&["message", "stop"]),
        clauses: [
            clause("demo.ready.once", None),
            clause("demo.ready.first", None),
            clause("demo.log.stderr", Some("what a log may say is left open.")),
        ]
        .into(),
        capabilities: vec!["tool_approval".to_owned(), "thinking".to_owned()],
        budgets: vec!["response".to_owned(), "total".to_owned()],
        wires: vec!["anthropic".to_owned(), "openai-chat".to_owned()],
        check_command: Some(Box::new(|command| {
            let is_wrong = command.get("input").is_some_and(|input| !input.is_string());
            is_wrong
                .then(|| ("/input".to_owned(), "`/input` is a number".to_owned()))
                .into_iter()
                .collect()
        })),
    }
}

fn said_about(path: &Path) -> String {
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
    assert!(!files.is_empty(), "tests/mistakes holds no scenario");
    files.sort();
    files
}

#[test]
fn every_mistake_is_said_with_its_place() {
    for path in files() {
        let expected = Data::read_from(&path.with_extension("txt"), Some(DataFormat::Text)).raw();
        snapbox::assert_data_eq!(said_about(&path), expected);
    }
}

#[test]
fn every_answer_belongs_to_a_mistake() {
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
fn a_good_scenario_says_what_it_was_written_to_say() {
    let node = load_file(Path::new("tests/good/everything.yaml")).expect("good YAML");
    let scenario = load(&node, "everything", Some(&vocabulary()))
        .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
    assert_eq!(scenario.steps.len(), 19);
    assert!(matches!(scenario.model, Value::Array(ref replies) if replies.len() == 2));
}
