//! Errors of commands, of the model and of the session store.

use crate::aionrs::harness::{Setup, kinds, text};
use serde_json::json;

#[test]
fn a_provider_error_says_whether_it_is_retryable_and_the_conversation_continues() {
    let errors = [
        (400, false),
        (401, false),
        (403, false),
        (404, false),
        (408, true),
        (409, true),
        (413, false),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (529, true),
    ];
    let mut script: Vec<_> = errors
        .iter()
        .map(|(status, _)| json!({ "error": { "status": status } }))
        .collect();
    script.push(json!({ "text": "back" }));
    let mut agent = Setup::new().script(&json!(script)).ready();

    for (status, retryable) in errors {
        let id = format!("m{status}");
        agent.message(&id, "try");

        let events = agent.until("stream_end");
        assert_eq!(kinds(&events), ["stream_start", "error", "stream_end"]);
        assert_eq!(events[1]["msg_id"], id);
        assert_eq!(events[1]["error"]["code"], "provider_error");
        assert_eq!(events[1]["error"]["retryable"], retryable, "{status}");
    }
    agent.message("last", "try");
    assert_eq!(text(&agent.until("stream_end")), "back");
}

#[test]
fn the_message_of_a_rate_limit_says_when_to_retry() {
    let script = json!([{ "error": {
        "status": 429, "message": "Rate limit exceeded", "headers": { "retry-after": "30" },
    } }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m1", "try");

    let message = agent.expect("error")["error"]["message"].clone();
    assert_eq!(
        message,
        "Rate limit exceeded (HTTP 429, rate_limit_error). Retry after 30s."
    );
}

#[test]
fn an_account_without_credit_is_not_a_rate_limit() {
    let script = json!([{ "error": {
        "status": 429, "message": "no credit", "code": "insufficient_quota",
    } }]);
    let mut agent = Setup::new()
        .args(&["--provider", "openai"])
        .env("OPENAI_API_KEY", "key")
        .script(&script)
        .ready();

    agent.message("m1", "try");

    assert_eq!(agent.expect("error")["error"]["retryable"], false);
}

#[test]
fn of_a_body_that_is_not_an_error_document_an_excerpt_is_shown() {
    let script = json!([
        { "error": { "status": 502, "body": "<html>\n bad gateway" } },
        { "error": { "status": 500, "body": "" } },
    ]);
    let mut agent = Setup::new().script(&script).ready();

    for (id, message) in [
        ("m1", "<html> bad gateway (HTTP 502, error)."),
        ("m2", "no explanation (HTTP 500, error)."),
    ] {
        agent.message(id, "try");
        assert_eq!(agent.expect("error")["error"]["message"], message);
        agent.expect("stream_end");
    }
}

#[test]
fn an_interrupted_stream_is_retried_and_the_host_is_informed() {
    let script = json!([{ "content": [{ "cut": "close" }] }, { "text": "whole" }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        ["stream_start", "info", "text_delta", "stream_end"]
    );
    assert_eq!(
        events[1],
        json!({ "type": "info", "msg_id": "m1", "message": "Stream interrupted, retrying... (1/2)" })
    );
}

#[test]
fn the_number_of_retries_is_limited() {
    let script =
        json!([{ "content": [{ "text": "half" }, { "cut": "close" }], "repeat": "forever" }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    let infos = kinds(&events)
        .iter()
        .filter(|kind| **kind == "info")
        .count();
    assert_eq!(infos, 2);
    assert_eq!(events[events.len() - 2]["error"]["retryable"], true);
}

#[test]
fn the_environment_sets_the_number_of_retries() {
    let script = json!([
        { "error": { "status": 529 } },
        { "content": [{ "text": "half" }, { "error": { "type": "overloaded_error", "message": "Overloaded" } }] },
        { "text": "whole" },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .env("MOCK_AGENT_RETRIES", "2")
        .ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        [
            "stream_start",
            "info",
            "text_delta",
            "info",
            "text_delta",
            "stream_end"
        ]
    );
}

#[test]
fn a_model_that_stops_responding_is_a_provider_error() {
    let script =
        json!([{ "content": [{ "text": "half" }, { "stall": true }] }, { "text": "back" }]);
    let mut agent = Setup::new()
        .script(&script)
        .env("MOCK_AGENT_PATIENCE_MS", "50")
        .ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    assert_eq!(events[2]["error"]["code"], "provider_error");
    assert_eq!(events[2]["error"]["retryable"], true);
}

#[test]
fn a_request_beyond_the_script_gets_a_harmless_answer() {
    let mut agent = Setup::new().script(&json!([])).ready();

    agent.message("m1", "go");

    assert_eq!(agent.expect("text_delta")["text"], "OK.");
    agent.expect("stream_end");
}

#[test]
fn a_session_that_cannot_be_saved_is_an_internal_error() {
    let mut agent = Setup::new().ready();
    let store = agent.dir.path().join(".mock-agent");
    std::fs::remove_dir_all(&store).unwrap();
    std::fs::write(&store, "").unwrap();

    agent.message("m1", "go");

    assert_eq!(agent.expect("error")["error"]["code"], "internal_error");
    agent.expect("stream_end");
}
