//! Sessions: saving, resuming, statistics.

use crate::aionrs::harness::{Agent, Setup, text};
use serde_json::{Value, json};

fn first_session(id: &[&str], script: &Value) -> Agent {
    let mut agent = Setup::new().args(id).script(script).ready();
    agent.message("m1", "my word is quokka");
    agent.expect("stream_end");
    agent.finish();
    agent
}

#[test]
fn a_session_is_resumed_with_its_whole_conversation() {
    let agent = first_session(
        &["--session-id", "conv-1"],
        &json!([{ "text": "mine is wombat" }]),
    );
    let script = json!([{ "when": { "contains": ["quokka", "wombat", "which"] }, "text": "both" }]);

    let mut agent = Setup::in_folder_of(&agent)
        .args(&["--resume", "conv-1"])
        .script(&script)
        .start();

    assert_eq!(agent.next()["session_id"], "conv-1");
    agent.message("m1", "which?");
    assert_eq!(text(&agent.until("stream_end")), "both");
}

#[test]
fn latest_is_the_session_that_was_used_last() {
    let agent = first_session(&["--session-id", "older"], &json!([{ "text": "a" }]));
    let mut agent = Setup::in_folder_of(&agent)
        .args(&["--session-id", "newer"])
        .ready();
    agent.message("m1", "hi");
    agent.expect("stream_end");
    agent.finish();

    let mut agent = Setup::in_folder_of(&agent)
        .args(&["--resume", "latest"])
        .start();

    assert_eq!(agent.next()["session_id"], "newer");
}

#[test]
fn an_existing_session_id_is_refused() {
    let agent = first_session(&["--session-id", "conv-1"], &json!([{ "text": "a" }]));

    let mut agent = Setup::in_folder_of(&agent)
        .args(&["--session-id", "conv-1"])
        .start();

    let error = agent.next();
    assert_eq!(error["error"]["code"], "config_error");
    assert_eq!(error["error"]["message"], "Session conv-1 already exists");
    assert_eq!(agent.wait_for_exit().code(), Some(1));
}

#[test]
fn an_id_that_is_not_a_file_name_is_refused() {
    for id in ["../x", ".hidden", "latest", "a/b", "ä"] {
        let mut agent = Setup::new().args(&["--session-id", id]).start();

        let error = agent.next()["error"].take();
        let why = error["message"].as_str().unwrap();
        assert!(why.contains("is not a session id"), "{id}: {why}");
        assert_eq!(agent.wait_for_exit().code(), Some(1), "{id}");
    }
}

#[test]
fn a_session_is_saved_before_the_end_of_its_turn_is_reported() {
    let mut agent = Setup::new().args(&["--session-id", "c"]).ready();
    agent.message("m1", "my word is quokka");
    agent.expect("stream_end");

    agent.signal("KILL");
    agent.wait_for_exit();

    let saved = agent.read(".mock-agent/sessions/c.json").unwrap();
    assert!(
        saved.contains("quokka") && saved.contains("You "),
        "{saved}"
    );
}

#[test]
fn ids_of_parallel_sessions_differ() {
    let mut first = Setup::new().start();
    let id = first.next()["session_id"].clone();

    let path = first.dir.path().to_string_lossy().into_owned();
    let mut second = Setup::new().args(&["--workspace", &path]).start();

    assert_ne!(second.next()["session_id"], id);
}
