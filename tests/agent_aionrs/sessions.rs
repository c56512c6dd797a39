use crate::harness::{Agent, Setup, text};
use serde_json::{Value, json};

fn said(id: &[&str], script: &Value) -> Agent {
    let mut agent = Setup::new().args(id).script(script).ready();
    agent.message("m1", "my word is quokka");
    agent.expect("stream_end");
    agent.finish();
    agent
}

#[test]
fn a_session_is_resumed_with_all_that_was_said() {
    let agent = said(
        &["--session-id", "conv-1"],
        &json!([{ "text": "mine is wombat" }]),
    );
    let script = json!([{ "when": { "contains": ["quokka", "wombat", "which"] }, "text": "both" }]);

    let mut agent = Setup::again(&agent)
        .args(&["--resume", "conv-1"])
        .script(&script)
        .start();

    assert_eq!(agent.next()["session_id"], "conv-1");
    agent.message("m1", "which?");
    assert_eq!(text(&agent.until("stream_end")), "both");
}

#[test]
fn latest_is_the_session_that_was_used_last() {
    let agent = said(&["--session-id", "older"], &json!([{ "text": "a" }]));
    let mut agent = Setup::again(&agent)
        .args(&["--session-id", "newer"])
        .ready();
    agent.message("m1", "hi");
    agent.expect("stream_end");
    agent.finish();

    let mut agent = Setup::again(&agent).args(&["--resume", "latest"]).start();

    assert_eq!(agent.next()["session_id"], "newer");
}

#[test]
fn an_id_that_exists_is_refused() {
    let agent = said(&["--session-id", "conv-1"], &json!([{ "text": "a" }]));

    let mut agent = Setup::again(&agent)
        .args(&["--session-id", "conv-1"])
        .start();

    let error = agent.next();
    assert_eq!(error["error"]["code"], "config_error");
    assert_eq!(error["error"]["message"], "Session conv-1 already exists");
    assert_eq!(agent.exit().code(), Some(1));
}

#[test]
fn a_session_is_saved_before_its_turn_is_told_to_be_over() {
    let mut agent = Setup::new().args(&["--session-id", "c"]).ready();
    agent.message("m1", "my word is quokka");
    agent.expect("stream_end");

    agent.signal("KILL");
    agent.exit();

    let saved = agent.read(".mock-agent/sessions/c.json").unwrap();
    assert!(
        saved.contains("quokka") && saved.contains("You "),
        "{saved}"
    );
}

#[test]
fn ids_of_sessions_side_by_side_differ() {
    let mut first = Setup::new().start();
    let id = first.next()["session_id"].clone();

    let path = first.dir.path().to_string_lossy().into_owned();
    let mut second = Setup::new().args(&["--workspace", &path]).start();

    assert_ne!(second.next()["session_id"], id);
}
