//! synaps@1 on sessions as living agents of several versions have them, and on their nearest neighbours that break a rule.

mod history;

use conform::check::{Checker, Context};
use conform::dialect::{Dialect, DialectSource, load};
use conform::finding::{Blame, Level};
use serde_json::json;
use std::sync::{Arc, LazyLock};

static DIALECT: LazyLock<Arc<Dialect>> =
    LazyLock::new(|| load(&DialectSource::default(), "synaps@1").unwrap());

/// A frame in the shorthand of these tests: `text Hello`, `start c1`, `piece c1 {}`, `result c1`, `done p1 prompt`, `refused p2`, `> prompt p1`, …
fn frame(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    let rest = |n: usize| words.get(n..).unwrap_or_default().join(" ");
    let update = |event| json!({ "type": "message_update", "event": event });
    let event = match word(0) {
        "ready" => {
            json!({ "type": "ready", "session_id": "s1", "model": "local/m", "protocol_version": 1 })
        }
        "text" => update(json!({ "type": "text_delta", "delta": rest(1) })),
        "start" => {
            update(json!({ "type": "toolcall_start", "tool_id": word(1), "tool_name": "bash" }))
        }
        "piece" => {
            update(json!({ "type": "toolcall_input_delta", "tool_id": word(1), "delta": rest(2) }))
        }
        "input" => update(
            json!({ "type": "toolcall_input", "tool_id": word(1), "input": serde_json::from_str::<serde_json::Value>(&rest(2)).unwrap() }),
        ),
        "result" => update(json!({ "type": "toolcall_result", "tool_id": word(1), "result": "r" })),
        "kind" => update(json!({ "type": word(1) })),
        "sub" => {
            let id: u64 = word(2).parse().unwrap();
            json!({
                "type": format!("subagent_{}", word(1)), "subagent_id": id, "agent_name": "a",
                "task_preview": "t", "status": "running", "result_preview": "r", "duration_secs": 0.5,
            })
        }
        "agent_end" => {
            json!({ "type": "agent_end", "usage": { "input_tokens": 10, "output_tokens": 2 } })
        }
        "done" => json!({ "type": "response", "id": word(1), "command": word(2), "ok": true }),
        "failed" => {
            json!({ "type": "response", "id": word(1), "command": word(2), "ok": false, "error": "e", "outcome": "error" })
        }
        "state" => {
            json!({ "type": "response", "id": word(1), "command": "get_state", "streaming": false, "model": "local/m", "session_id": "s1" })
        }
        "refused" => json!({ "type": "error", "id": word(1), "message": "no" }),
        "bad" => json!({ "type": "error", "message": "no" }),
        "event" => json!({ "type": "event", "source": "timer" }),
        ">" => {
            let command = match word(1) {
                kind @ ("prompt" | "follow_up") => {
                    json!({ "type": kind, "id": word(2), "message": "m" })
                }
                "shutdown" => json!({ "type": "shutdown" }),
                "raw" => return format!("> {}", rest(2)),
                kind => json!({ "type": kind, "id": word(2) }),
            };
            return format!("> {command}");
        }
        _ => return line.to_owned(),
    };
    format!("< {event}")
}

/// What is found in a session, without the notes and what the host did: rules without their dialect, each once.
fn found(session: &str) -> Vec<String> {
    let lines = session.split(';').map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).map(frame);
    let mut checker = Checker::new(Arc::clone(&DIALECT), Context::default());
    for frame in history::frames(&lines.collect::<Vec<_>>().join("\n")) {
        checker.push(&frame);
    }
    let findings = checker.finish().findings;
    let hard = findings
        .iter()
        .filter(|f| f.level != Level::May && f.blame == Blame::Agent);
    let mut rules: Vec<String> = hard
        .map(|f| f.rule.trim_start_matches("synaps/").to_owned())
        .collect();
    rules.dedup();
    rules
}

fn clean(sessions: &[&str]) {
    for session in sessions {
        let whole = format!("ready; {session}");
        assert_eq!(found(&whole), Vec::<String>::new(), "{session}");
    }
}

fn broken(sessions: &[(&str, &[&str])]) {
    for (session, rules) in sessions {
        let whole = format!("ready; {session}");
        assert_eq!(found(&whole), *rules, "{session}");
    }
}

#[test]
fn turns_may_end_as_they_do_in_every_version() {
    clean(&[
        "> prompt p1; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; done p1 prompt; text a; agent_end; > shutdown; end exited 0",
        "> prompt p1; text a; done p1 prompt; text b; agent_end; > shutdown; end exited 0",
        "> prompt p1; refused p1; agent_end; failed p1 prompt; > shutdown; end exited 0",
        "> prompt p1; done p1 prompt; refused p1; agent_end; > shutdown; end exited 0",
        "> prompt p1; text a; > abort a1; agent_end; done p1 prompt; done a1 abort; > shutdown; end exited 0",
        "> prompt p1; text a; > abort a1; done a1 abort; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; text a; agent_end; done p1 prompt; > prompt p2; refused p2; > shutdown; end exited 0",
        "> prompt p1; text a; > prompt p2; refused p2; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; text a; > get_state s1; state s1; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; text a; > shutdown; end exited 0",
        "> prompt p1; done p1 prompt; text a; > shutdown; end exited 0",
        "> prompt p1; text a; > shutdown; text b; agent_end; done p1 prompt; end exited 0",
        "> prompt p1; text a; stdin_closed; end exited 0",
        "> prompt p1; text a; done p1 prompt; > prompt p2; text a; done p2 prompt; agent_end; text a; agent_end; > shutdown; end exited 0",
        "> prompt p1; text a; done p1 prompt; > prompt p2; agent_end; text a; done p2 prompt; agent_end; > shutdown; end exited 0",
        "> abort a1; done a1 abort; > shutdown; end exited 0",
        "> abort a1; refused a1; stdin_closed; end exited 0",
        "> compact c1; refused c1; > shutdown; end exited 0",
        "> compact c1; > get_state s1; > shutdown; end exited 0",
        "> prompt p1; text a; > shutdown; > get_state s1; agent_end; done p1 prompt; end exited 0",
        "> prompt x; text a; > get_state x; agent_end; done x prompt; state x; > shutdown; end exited 0",
        "> compact c1; > get_state s1; end killed budget",
        "> prompt p1; text a; end killed budget",
    ]);
}

#[test]
fn a_later_version_may_say_more() {
    clean(&[
        "> prompt p1; kind response_start; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; kind response_start; start c1; piece c1 {\"a\":; kind response_reset; kind response_start; start c1; piece c1 {}; result c1; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; kind response_start; start c1; piece c1 {}; kind response_reset; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "event; text a; agent_end; done auto:1 auto_turn; > shutdown; end exited 0",
        "event; refused auto:1; agent_end; failed auto:1 auto_turn; > shutdown; end exited 0",
        "> prompt p1; done p1 attachments.disclosure; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> compact c1; done c1 compact.disclosure; done c1 compact; > shutdown; end exited 0",
        "> tools_list t1; done t1 tools_list; > shutdown; end exited 0",
    ]);
}

#[test]
fn tool_calls_may_come_in_every_order_that_was_seen() {
    clean(&[
        "> prompt p1; start a; piece a {}; start b; piece b {}; result b; result a; text x; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; start a; piece a {\"x\":; piece a 1}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; start a; piece a {\"x\":1}; input a {\"x\":1}; result a; start a; piece a {\"x\":2}; input a {\"x\":2}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; start a; input a {}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; start a; piece a {}; > abort a1; agent_end; done p1 prompt; done a1 abort; > shutdown; end exited 0",
        "> prompt p1; start a; piece a {\"x; refused p1; agent_end; failed p1 prompt; > shutdown; end exited 0",
        "> prompt p1; start a; piece a {}; sub start 1; sub update 1; sub done 1; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
        "> prompt p1; sub start 1; sub start 2; sub update 2; sub done 1; sub done 2; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
    ]);
}

#[test]
fn what_no_version_may_do_is_found() {
    broken(&[
        ("text a; > shutdown; end exited 0", &["update-in-turn"]),
        ("agent_end; > shutdown; end exited 0", &["end-of-a-turn"]),
        (
            "> prompt p1; text a; agent_end; text b; done p1 prompt; > shutdown; end exited 0",
            &["update-in-turn"],
        ),
        (
            "> prompt p1; text a; agent_end; agent_end; done p1 prompt; > prompt p2; text a; agent_end; done p2 prompt; > shutdown; end exited 0",
            &["end-of-a-turn"],
        ),
        (
            "> prompt p1; text a; done p1 prompt; > shutdown; end exited 0",
            &["turn-ends-before-exit"],
        ),
        (
            "> prompt p1; text a; done p1 prompt; > prompt p2; text a; agent_end; done p2 prompt; > shutdown; end exited 0",
            &["turn-ends-before-exit"],
        ),
        (
            "> prompt p1; text a; > abort a1; done p1 prompt; done a1 abort; stdin_closed; end exited 0",
            &["turn-ends-before-exit", "abort-ends-turn"],
        ),
        (
            "> prompt p1; text a; agent_end; > shutdown; end exited 0",
            &["answered-before-exit"],
        ),
        (
            "> prompt p1; text a; agent_end; stdin_closed; end exited 0",
            &["answered-before-exit"],
        ),
        (
            "> get_state s1; > shutdown; end exited 0",
            &["answered-before-exit"],
        ),
        (
            "> prompt p1; text a; > abort a1; agent_end; done p1 prompt; end killed budget",
            &["answered-in-time"],
        ),
        (
            "> prompt p1; > abort a1; > get_state s1; 1 stdin_closed; 9000000 end killed x",
            &["answered-in-time", "eof-exits"],
        ),
        (
            "> get_state s1; state s1; state s1; > shutdown; end exited 0",
            &["answered-once"],
        ),
        (
            "> get_state s1; state s1; refused s1; > shutdown; end exited 0",
            &["answered-once"],
        ),
        (
            "> prompt p1; text a; agent_end; done p1 prompt; done p1 prompt; > shutdown; end exited 0",
            &["answered-once"],
        ),
        ("state s9; > shutdown; end exited 0", &["known-id"]),
        ("refused s9; > shutdown; end exited 0", &["known-id"]),
        ("bad; > shutdown; end exited 0", &["error-without-id"]),
        (
            "> raw {; bad; bad; > shutdown; end exited 0",
            &["error-without-id"],
        ),
        (
            "> follow_up f1; text a; agent_end; done f1 prompt; > shutdown; end exited 0",
            &["response-command"],
        ),
        (
            "> prompt p1; start a; start a; piece a {}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["toolcall-has-result"],
        ),
        (
            "> prompt p1; start a; piece a {}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["toolcall-input-whole"],
        ),
        (
            "> prompt p1; start a; result a; start a; piece a {}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["toolcall-input-whole"],
        ),
        (
            "> prompt p1; start a; piece a {}; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["toolcall-has-result"],
        ),
        (
            "> prompt p1; sub start 2; sub start 1; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["subagent-ids-grow"],
        ),
        (
            "> prompt p1; sub start 1; sub done 1; sub update 1; text a; agent_end; done p1 prompt; > shutdown; end exited 0",
            &["subagent-lifecycle"],
        ),
        ("> prompt p1; text a; end exited 0", &["stays-alive"]),
        ("> shutdown; end exited 1", &["shutdown-exits"]),
        (
            "> shutdown; done q shutdown; end exited 0",
            &["known-id", "shutdown-unanswered"],
        ),
    ]);
}
