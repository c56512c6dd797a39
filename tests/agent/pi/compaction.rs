//! Compaction of the conversation.

use crate::pi::harness::{script_that_detects, start_with_script};
use serde_json::{Value, json};

/// A text in every request for a summary.
const SUMMARY_REQUEST: &str = "Summarize this conversation";

/// A script with a first reply, a summary, and then replies that say whether the request contains the text.
fn script_after(first: Value, text: &str) -> Value {
    let summary = json!({ "when": { "contains": SUMMARY_REQUEST }, "text": "the summary" });
    let mut script = vec![first, summary];
    script.extend(
        script_that_detects(text)
            .as_array()
            .unwrap()
            .iter()
            .cloned(),
    );
    json!(script)
}

#[test]
fn compact_replaces_the_conversation_with_a_summary() {
    let first = json!({ "text": "the dunlin", "usage": { "input": 700, "output": 7 } });
    let mut agent = start_with_script(&script_after(first, "the dunlin"));
    agent.run("one bird");

    agent.send(&json!({ "type": "compact" }));

    let done = agent.expect("compaction");
    assert_eq!(done["summary"], "the summary");
    assert!(done["tokensBefore"].as_u64().unwrap() >= 700);
    assert_eq!(done.get("auto"), None);
    assert_eq!(agent.ask("and now?"), "not seen");
}

#[test]
fn the_model_gets_the_summary_and_the_instructions() {
    let mut agent = start_with_script(&json!([
        { "text": "the dunlin" },
        { "when": { "contains": "dwell on herons" }, "text": "guided" },
        { "when": { "contains": "guided" }, "text": "seen" },
    ]));
    agent.run("one bird");

    agent.send(&json!({ "type": "compact", "customInstructions": "dwell on herons" }));

    assert_eq!(agent.expect("compaction")["summary"], "guided");
    assert_eq!(agent.ask("and now?"), "seen");
}

#[test]
fn a_full_context_is_compacted_automatically() {
    let full = |input| json!({ "text": "a", "usage": { "input": input, "output": 0 } });
    let mut over = start_with_script(&script_after(full(180_001), "x"));
    over.run("one");
    let done = over.expect("compaction");
    assert_eq!(
        (&done["auto"], &done["tokensBefore"]),
        (&json!(true), &json!(180_001))
    );

    let mut below = start_with_script(&script_after(full(180_000), "x"));
    below.run("one");
    below.bash("true");
    assert_eq!(below.finish(), (vec![], Some(0)));
}

#[test]
fn a_failed_compaction_is_an_error() {
    let mut nothing = start_with_script(&json!([]));
    nothing.send(&json!({ "type": "compact" }));
    assert_eq!(
        nothing.expect("error")["error"],
        "There is nothing to compact"
    );

    let mut failing = start_with_script(
        &json!([{ "text": "a" }, { "error": { "status": 400, "message": "no" } }]),
    );
    failing.run("one");
    failing.send(&json!({ "type": "compact" }));
    assert!(
        failing.expect("error")["error"]
            .as_str()
            .unwrap()
            .contains("no")
    );
}

#[test]
fn abort_ends_a_compaction() {
    let mut agent = start_with_script(
        &json!([{ "text": "a" }, { "when": { "contains": SUMMARY_REQUEST }, "content": [{ "stall": true }] }, { "text": "b" }]),
    );
    agent.run("one");
    agent.send(&json!({ "type": "compact" }));

    agent.abort();

    assert_eq!(agent.expect("error")["error"], "The compaction was aborted");
    assert_eq!(agent.ask("two"), "b");
}
