use crate::harness::{Setup, heard};
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
fn with_no_session_nothing_is_left_on_disk() {
    let mut agent = Setup::new().start();

    agent.run("remember the heron");
    agent.finish();

    assert_eq!(files(agent.dir.path()), Vec::<String>::new());
}

#[test]
fn a_session_is_kept_and_can_be_continued() {
    let mut first = Setup::with_sessions().start();
    first.run("remember the heron");
    first.finish();
    let kept = files(&first.dir.path().join(".pi/agent/sessions"));
    assert!(!kept.is_empty());

    let again = |flags: &[&str]| {
        let setup = Setup::again(&first).args(flags);
        let mut agent = setup.script(&heard("remember the heron")).start();
        agent.ask("which bird?")
    };

    assert_eq!(again(&["--continue"]), "heard");
    assert_eq!(again(&[]), "not heard");
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
