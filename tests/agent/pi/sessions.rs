//! Sessions: saving, resuming, statistics.

use crate::pi::harness::{Setup, script_that_detects};
use serde_json::json;
use std::path::Path;

/// Every file below a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let below = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path.to_string_lossy().into_owned()],
    });
    below.collect()
}

#[test]
fn with_no_session_no_file_is_written() {
    let mut agent = Setup::new().start();

    agent.run("remember the heron");
    agent.finish();

    assert_eq!(files(agent.dir.path()), Vec::<String>::new());
}

#[test]
fn a_session_is_saved_and_can_be_continued() {
    let mut first = Setup::with_sessions().start();
    first.run("remember the heron");
    first.finish();
    let saved = files(&first.dir.path().join(".pi/agent/sessions"));
    assert!(!saved.is_empty());

    let ask_again = |flags: &[&str]| {
        let setup = Setup::in_folder_of(&first).args(flags);
        let mut agent = setup
            .script(&script_that_detects("remember the heron"))
            .start();
        agent.ask("which bird?")
    };

    assert_eq!(ask_again(&["--continue"]), "seen");
    assert_eq!(ask_again(&[]), "not seen");
}

#[test]
fn a_shell_command_is_part_of_the_session() {
    let mut agent = Setup::with_sessions()
        .script(&json!([{ "text": "a" }]))
        .start();

    agent.bash("echo egret-out");
    agent.run("go");
    agent.finish();

    let texts = files(&agent.dir.path().join(".pi"));
    let any = texts
        .iter()
        .any(|path| std::fs::read_to_string(path).unwrap().contains("egret-out"));
    assert!(any);
}
