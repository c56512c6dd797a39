//! The model over HTTP.

use crate::aionrs::harness::{Setup, kinds, text};
use mock_provider::server::{
    ExchangeEnd, JournalEntry, JournalEvent, Observer, Server, ServerOptions,
};
use mock_provider::{Script, ScriptFailure};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tokio::runtime::Runtime;

/// A scripted model that is served over HTTP.
struct ModelServer {
    runtime: Runtime,
    server: Server,
    journal: Receiver<JournalEntry>,
}

impl ModelServer {
    fn new(replies: Value) -> Self {
        let script = Script::from_value(replies).unwrap();
        assert_eq!(script.check(), []);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (sender, journal) = channel();
        let observer = Observer::new(move |entry| drop(sender.send(entry)));
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = runtime.block_on(async {
            Server::observed(addr, script, ServerOptions::default(), observer).unwrap()
        });
        ModelServer {
            runtime,
            server,
            journal,
        }
    }

    fn setup(&self, provider: &str) -> Setup {
        let key = format!("{}_API_KEY", provider.to_uppercase());
        Setup::new()
            .args(&["--provider", provider, "--base-url", &self.server.url()])
            .args(&["--model", "mock-model"])
            .env(&key, "k")
    }

    /// How the next reply ended.
    fn reply_end(&self) -> ExchangeEnd {
        loop {
            match self.journal.recv_timeout(Duration::from_secs(60)) {
                Ok(JournalEntry {
                    event: JournalEvent::Reply { end, .. },
                    ..
                }) => return end,
                Ok(_) => {}
                Err(error) => panic!("no reply ended: {error}"),
            }
        }
    }

    /// The failures of all requests, and the unused replies.
    fn failures(self) -> Vec<ScriptFailure> {
        let unused = self.server.unused();
        self.runtime.block_on(self.server.shutdown());
        let failed = self
            .journal
            .into_iter()
            .filter_map(|entry| match entry.event {
                JournalEvent::Failure(failure) => Some(failure),
                _ => None,
            });
        failed.chain(unused).collect()
    }
}

fn script_with_tools() -> Value {
    json!([
        {
            "thinking": { "text": ["Let me", " see."], "signature": "sig-1" },
            "text": "Two things.",
            "tool_calls": [
                { "id": "t1", "name": "Bash", "args": { "command": "echo größe 🦀" }, "chunks": 5 },
                { "id": "t2", "name": "Write", "args": { "file_path": "a.txt", "content": "x" } },
            ],
            "usage": { "input": 100, "output": 20, "cache_read": 7 },
            "delivery": { "every": 3 },
        },
        {
            "expect_request": { "tool_result": [
                { "call": "t1", "is_error": false, "contains": "größe 🦀" },
                { "call": "t2", "is_error": true, "contains": "not in my repo" },
            ] },
            "text": ["Under", "stood."],
            "usage": { "input": 200, "output": 5 },
        },
    ])
}

fn check_turn_with_tools(provider: &str) {
    let served = ModelServer::new(script_with_tools());
    let mut agent = served.setup(provider).ready();

    agent.message("m1", "go");
    let requests = [agent.until("tool_request"), agent.until("tool_request")].concat();
    assert_eq!(
        kinds(&requests)[..2],
        ["stream_start", "thinking"],
        "{provider}"
    );
    agent.deny("t2", "not in my repo");
    agent.approve("t1", "once");
    let rest = agent.until("stream_end");

    assert_eq!(
        text(&[requests, rest.clone()].concat()),
        "Two things.Understood."
    );
    let usage = &rest.last().unwrap()["usage"];
    assert_eq!(
        (
            &usage["input_tokens"],
            &usage["output_tokens"],
            &usage["cache_read_tokens"]
        ),
        (&json!(300), &json!(25), &json!(7))
    );
    assert_eq!(agent.finish().1, Some(0));
    assert_eq!(served.failures(), []);
}

#[test]
fn a_turn_with_thinking_and_tools_works_over_the_anthropic_api() {
    check_turn_with_tools("anthropic");
}

#[test]
fn a_turn_with_thinking_and_tools_works_over_the_openai_api() {
    check_turn_with_tools("openai");
}

#[test]
fn the_flags_appear_in_the_model_request() {
    let served = ModelServer::new(json!([{
        "expect_request": { "body": {
            "model": "other", "max_tokens": 77, "stream": true, "system": "be brief",
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }],
        } },
        "text": "ok",
    }]));
    let mut agent = served
        .setup("anthropic")
        .args(&[
            "--model",
            "other",
            "--max-tokens",
            "77",
            "--system-prompt",
            "be brief",
        ])
        .ready();

    agent.message("m1", "hi");

    agent.expect("stream_end");
    assert_eq!(served.failures(), []);
}

#[test]
fn thinking_is_sent_back_with_its_signature() {
    let served = ModelServer::new(json!([
        {
            "thinking": { "text": "hm", "signature": "sig-1" },
            "tool_calls": [{ "id": "t1", "name": "Bash", "args": { "command": "true" } }],
        },
        {
            "expect_request": { "body": { "messages": { "$contains": { "role": "assistant", "content": { "$contains":
                { "type": "thinking", "thinking": "hm", "signature": "sig-1" } } } } } },
            "text": "ok",
        },
    ]));
    let mut agent = served.setup("anthropic").args(&["--auto-approve"]).ready();

    agent.message("m1", "hi");

    agent.expect("stream_end");
    assert_eq!(served.failures(), []);
}

#[test]
fn a_stop_closes_the_connection_and_the_next_turn_works() {
    for provider in ["anthropic", "openai"] {
        for stalled in [
            json!({ "content": [{ "text": "one" }, { "stall": true }] }),
            json!({ "gate": "never", "text": "late" }),
        ] {
            let early = stalled.get("gate").is_some();
            let served = ModelServer::new(json!([stalled, { "text": "here" }]));
            let mut agent = served.setup(provider).ready();
            agent.message("m1", "hi");
            if early {
                let is_waiting =
                    |entry: &JournalEntry| matches!(entry.event, JournalEvent::Waiting { .. });
                while !is_waiting(
                    &served
                        .journal
                        .recv_timeout(Duration::from_secs(60))
                        .unwrap(),
                ) {}
            } else {
                agent.expect("text_delta");
            }

            agent.stop();

            agent.expect("stream_end");
            assert_eq!(served.reply_end(), ExchangeEnd::ClientClosed);
            agent.message("m2", "go on");
            assert_eq!(text(&agent.until("stream_end")), "here");
        }
    }
}

#[test]
fn api_errors_are_reported() {
    for provider in ["anthropic", "openai"] {
        let served = ModelServer::new(json!([
            { "error": { "status": 429, "headers": { "retry-after": "3" } } },
            { "error": { "status": 401 } },
            { "error": { "status": 502, "headers": { "content-type": "text/html" }, "body": "<html>Bad gateway</html>" } },
            { "content": [{ "text": "half" }, { "error": { "type": "overloaded_error", "message": "Overloaded" } }] },
            { "content": [{ "error": { "type": "invalid_request_error", "message": "no" } }] },
            { "text": "back" },
        ]));
        let mut agent = served.setup(provider).ready();

        let retryable = [true, false, true, true, false];
        for (id, retryable) in ["m1", "m2", "m3", "m4", "m5"].into_iter().zip(retryable) {
            agent.message(id, "hi");
            let events = agent.until("stream_end");
            let error = &events[events.len() - 2];
            assert_eq!(error["error"]["code"], "provider_error", "{provider} {id}");
            assert_eq!(error["error"]["retryable"], retryable, "{provider} {id}");
        }
        agent.message("m6", "hi");
        assert_eq!(text(&agent.until("stream_end")), "back");
        assert_eq!(served.failures(), []);
    }
}

#[test]
fn a_cut_stream_is_retried() {
    for (provider, cut) in [
        ("anthropic", "close"),
        ("anthropic", "reset"),
        ("openai", "end"),
    ] {
        let served = ModelServer::new(json!([
            { "content": [{ "text": "half" }, { "cut": cut }] },
            { "text": "whole" },
        ]));
        let mut agent = served.setup(provider).ready();

        agent.message("m1", "hi");

        let events = agent.until("stream_end");
        assert_eq!(
            kinds(&events),
            [
                "stream_start",
                "text_delta",
                "info",
                "text_delta",
                "stream_end"
            ],
            "{provider} {cut}"
        );
    }
}

#[test]
fn a_refused_connection_is_a_provider_error() {
    let mut agent = Setup::new()
        .args(&[
            "--provider",
            "anthropic",
            "--base-url",
            "http://127.0.0.1:1",
        ])
        .env("ANTHROPIC_API_KEY", "k")
        .ready();

    agent.message("m1", "hi");

    let error = agent.expect("error")["error"].clone();
    assert_eq!(error["code"], "provider_error");
    assert_eq!(error["retryable"], true);
}

#[test]
fn the_base_url_may_come_from_the_environment() {
    let served = ModelServer::new(json!([{ "text": "here" }]));
    let mut agent = Setup::new()
        .args(&["--provider", "openai"])
        .env("OPENAI_API_KEY", "k")
        .env("OPENAI_BASE_URL", &served.server.url())
        .ready();

    agent.message("m1", "hi");

    assert_eq!(text(&agent.until("stream_end")), "here");
}

#[test]
fn no_request_overtakes_the_event_that_begins_its_turn() {
    let served = ModelServer::new(json!([{ "text": "late" }]));
    let setup = served.setup("anthropic");
    let mut agent = setup.env("MOCK_AGENT_LATENCY_MS", "300").ready();
    agent.message("m1", "go");

    let first = served.journal.recv_timeout(Duration::from_secs(60));
    let event = first.map(|entry| entry.event);
    assert!(matches!(event, Ok(JournalEvent::Request(_))), "{event:?}");
    // What is not written yet is lost.
    agent.child.kill().unwrap();
    let event = agent.try_next().expect("the event was written");
    assert_eq!(event["type"], "stream_start");
}
