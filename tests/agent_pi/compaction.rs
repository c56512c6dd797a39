use crate::harness::{heard, playing};
use serde_json::{Value, json};

/// What every request for a summary says.
const ORDER: &str = "Summarize this conversation";

/// A summary, and then a model that tells whether it was told something.
fn after(first: Value, text: &str) -> Value {
    let summary = json!({ "when": { "contains": ORDER }, "text": "the summary" });
    let mut script = vec![first, summary];
    script.extend(heard(text).as_array().unwrap().iter().cloned());
    json!(script)
}

#[test]
fn compact_puts_a_summary_in_the_place_of_the_conversation() {
    let first = json!({ "text": "the dunlin", "usage": { "input": 700, "output": 7 } });
    let mut agent = playing(&after(first, "the dunlin"));
    agent.run("one bird");

    agent.send(&json!({ "type": "compact" }));

    let done = agent.expect("compaction");
    assert_eq!(done["summary"], "the summary");
    assert!(done["tokensBefore"].as_u64().unwrap() >= 700);
    assert_eq!(done.get("auto"), None);
    assert_eq!(agent.ask("and now?"), "not heard");
}

#[test]
fn the_model_is_told_the_summary_and_the_instructions() {
    let mut agent = playing(&json!([
        { "text": "the dunlin" },
        { "when": { "contains": "dwell on herons" }, "text": "guided" },
        { "when": { "contains": "guided" }, "text": "heard" },
    ]));
    agent.run("one bird");

    agent.send(&json!({ "type": "compact", "customInstructions": "dwell on herons" }));

    assert_eq!(agent.expect("compaction")["summary"], "guided");
    assert_eq!(agent.ask("and now?"), "heard");
}

#[test]
fn a_full_context_is_compacted_without_being_asked() {
    let full = |input| json!({ "text": "a", "usage": { "input": input, "output": 0 } });
    let mut over = playing(&after(full(180_001), "x"));
    over.run("one");
    let done = over.expect("compaction");
    assert_eq!(
        (&done["auto"], &done["tokensBefore"]),
        (&json!(true), &json!(180_001))
    );

    let mut below = playing(&after(full(180_000), "x"));
    below.run("one");
    below.bash("true");
    assert_eq!(below.finish(), (vec![], Some(0)));
}

#[test]
fn what_cannot_be_compacted_is_told_as_an_error() {
    let mut nothing = playing(&json!([]));
    nothing.send(&json!({ "type": "compact" }));
    assert_eq!(
        nothing.expect("error")["error"],
        "There is nothing to compact"
    );

    let mut failing =
        playing(&json!([{ "text": "a" }, { "error": { "status": 400, "message": "no" } }]));
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
    let mut agent = playing(
        &json!([{ "text": "a" }, { "when": { "contains": ORDER }, "content": [{ "stall": true }] }, { "text": "b" }]),
    );
    agent.run("one");
    agent.send(&json!({ "type": "compact" }));

    agent.abort();

    assert_eq!(agent.expect("error")["error"], "The compaction was aborted");
    assert_eq!(agent.ask("two"), "b");
}
