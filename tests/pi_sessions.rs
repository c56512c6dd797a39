//! pi@0.73 and pi@0.87: what is told of a session, and commands that change it side by side.

mod accused;
mod history;

use conform::check::{CheckOptions, Checker};
use conform::dialect::{DialectSource, load};
use serde_json::{Value, json};

const END: &str = "stdin_closed\nend exited 0";

fn command(kind: &str, id: &str, more: Value) -> String {
    let mut command = json!({ "type": kind, "id": id });
    put(&mut command, more);
    format!("> {command}")
}

fn ok(kind: &str, id: &str, data: Value) -> String {
    let mut response = json!({ "type": "response", "id": id, "command": kind, "success": true });
    if !data.is_null() {
        response["data"] = data;
    }
    format!("< {response}")
}

fn put(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

fn model(id: &str) -> Value {
    json!({
        "id": id, "name": id, "api": "anthropic-messages", "provider": "p", "baseUrl": "http://localhost", "reasoning": true, "input": ["text"],
        "contextWindow": 1000, "maxTokens": 100, "cost": { "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75 },
    })
}

fn state(more: Value) -> Value {
    let mut state = json!({
        "model": model("m"), "thinkingLevel": "low", "isStreaming": false, "isCompacting": false, "steeringMode": "all", "followUpMode": "all",
        "sessionId": "s", "autoCompactionEnabled": true, "messageCount": 0, "pendingMessageCount": 0,
    });
    put(&mut state, more);
    state
}

fn stats(more: Value) -> Value {
    let mut stats = json!({
        "sessionId": "s", "userMessages": 1, "assistantMessages": 1, "toolCalls": 0, "toolResults": 0, "totalMessages": 2,
        "tokens": { "input": 100, "output": 10, "cacheRead": 50, "cacheWrite": 0, "total": 160 }, "cost": 0.000_465,
        "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16 },
    });
    put(&mut stats, more);
    stats
}

/// A run of one answer, after the model was told.
fn run() -> Vec<String> {
    let user = json!({ "role": "user", "content": "hi", "timestamp": 1_764_547_200_000_u64 });
    let answer = json!({
        "role": "assistant", "content": [{ "type": "text", "text": "Hello" }], "api": "anthropic-messages", "provider": "p", "model": "m", "stopReason": "stop",
        "timestamp": 1_764_547_200_001_u64,
        "usage": {
            "input": 100, "output": 10, "cacheRead": 50, "cacheWrite": 0, "totalTokens": 160,
            "cost": { "input": 0.0003, "output": 0.00015, "cacheRead": 0.000_015, "cacheWrite": 0, "total": 0.000_465 },
        },
    });
    let event = |event: Value| format!("< {event}");
    vec![
        command("get_state", "g0", json!({})),
        ok("get_state", "g0", state(json!({}))),
        command("prompt", "p", json!({ "message": "hi" })),
        ok("prompt", "p", Value::Null),
        event(json!({ "type": "agent_start" })),
        event(json!({ "type": "turn_start" })),
        event(json!({ "type": "message_start", "message": user })),
        event(json!({ "type": "message_end", "message": user })),
        event(json!({ "type": "message_start", "message": answer })),
        event(json!({ "type": "message_end", "message": answer })),
        event(json!({ "type": "turn_end", "message": answer, "toolResults": [] })),
        event(json!({ "type": "agent_end", "messages": [user, answer] })),
    ]
}

/// The rules that find something about the agent, without their dialect, each once.
fn found(dialect: &str, lines: &[String]) -> Vec<String> {
    let dialect = load(&DialectSource::default(), dialect).unwrap();
    let mut checker = Checker::new(dialect, CheckOptions::default());
    for frame in history::frames(&format!("{}\n{END}", lines.join("\n"))) {
        checker.push(&frame);
    }
    accused::rules(checker)
}

fn read(id: &str, more: Value) -> [String; 2] {
    [
        command("get_state", id, json!({})),
        ok("get_state", id, state(more)),
    ]
}

#[test]
fn of_two_settings_that_were_open_at_once_either_may_hold() {
    let name = |id: &str, name: &str| command("set_session_name", id, json!({ "name": name }));
    let level =
        |id: &str, level: &str| command("set_thinking_level", id, json!({ "level": level }));
    let both = [
        name("a", "one"),
        name("b", "two"),
        level("c", "low"),
        level("d", "high"),
        ok("set_thinking_level", "d", Value::Null),
        ok("set_session_name", "b", Value::Null),
        ok("set_session_name", "a", Value::Null),
        ok("set_thinking_level", "c", Value::Null),
    ];
    for (name, level) in [("one", "low"), ("two", "high"), ("one", "high")] {
        let told = read("g", json!({ "sessionName": name, "thinkingLevel": level }));
        let session = [both.to_vec(), told.to_vec()].concat();
        assert_eq!(found("pi@0.73", &session), Vec::<String>::new(), "{name}");
    }

    let one = [name("a", "one"), ok("set_session_name", "a", Value::Null)];
    let told = read("g", json!({ "sessionName": "two" }));
    let session = [one.to_vec(), told.to_vec()].concat();
    assert_eq!(found("pi@0.73", &session), ["state-of-session"]);
}

#[test]
fn a_new_session_beside_another_change_may_have_either() {
    let set = command("set_model", "m", json!({ "provider": "p", "modelId": "n" }));
    let renewed = ok("new_session", "n", json!({ "cancelled": false }));
    let renew = command("new_session", "n", json!({}));
    let chosen = ok("set_model", "m", model("n"));
    for answers in [[&renewed, &chosen], [&chosen, &renewed]] {
        for id in ["m", "n"] {
            let mut session = vec![renew.clone(), set.clone()];
            session.extend(answers.map(Clone::clone));
            session.extend(read("g", json!({ "model": model(id) })));
            assert_eq!(found("pi@0.73", &session), Vec::<String>::new(), "{id}");
        }
    }

    let mut session = vec![set, chosen];
    session.extend(read("g", json!({ "model": model("m") })));
    assert_eq!(found("pi@0.73", &session), ["state-of-model"]);
}

#[test]
fn what_failed_has_changed_nothing() {
    let failed = |kind: &str, id: &str| {
        let response = json!({ "type": "response", "id": id, "command": kind, "success": false, "error": "no" });
        format!("< {response}")
    };
    let mut session = read("g", json!({})).to_vec();
    session.push(command(
        "set_model",
        "m",
        json!({ "provider": "p", "modelId": "n" }),
    ));
    session.push(failed("set_model", "m"));
    let kept = [session.clone(), read("h", json!({})).to_vec()].concat();
    let lost = [session, read("h", json!({ "model": model("n") })).to_vec()].concat();

    assert_eq!(found("pi@0.73", &kept), Vec::<String>::new());
    assert_eq!(found("pi@0.73", &lost), ["state-of-model"]);
}

#[test]
fn statistics_are_held_against_what_was_seen() {
    let with = |more: Value| {
        let mut session = run();
        session.push(command("get_session_stats", "t", json!({})));
        session.push(ok("get_session_stats", "t", stats(more)));
        found("pi@0.73", &session)
    };
    let none = Vec::<String>::new();

    assert_eq!(with(json!({})), none);
    // Rounded, and with the agent's instructions counted.
    assert_eq!(
        with(
            json!({ "cost": 0.0005, "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16.4 }, "totalMessages": 3 })
        ),
        ["stats-cost"]
    );
    assert_eq!(
        with(
            json!({ "cost": 0.000_466, "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16.4 }, "totalMessages": 3 })
        ),
        none
    );
    assert_eq!(
        with(json!({ "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 0.16 } })),
        ["context-percent"]
    );
    assert_eq!(
        with(json!({ "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 32 } })),
        ["context-percent"]
    );
    assert_eq!(
        with(json!({ "userMessages": 2 })),
        ["stats-add-up", "stats-count"]
    );
    assert_eq!(
        with(
            json!({ "tokens": { "input": 100, "output": 10, "cacheRead": 0, "cacheWrite": 0, "total": 110 } })
        ),
        ["stats-tokens"]
    );
}

#[test]
fn an_answer_from_before_the_run_is_held_against_nothing_of_it() {
    // The state was asked for before the run, and answered behind it.
    let mut late = run();
    late.insert(2, command("get_state", "g", json!({})));
    late.push(ok("get_state", "g", state(json!({}))));
    let mut wrong = run();
    wrong.extend(read("g", json!({ "messageCount": 9 })));

    assert_eq!(found("pi@0.73", &late), Vec::<String>::new());
    assert_eq!(found("pi@0.73", &wrong), ["state-counts-messages"]);
}

#[test]
fn output_may_be_told_in_any_pieces() {
    let piece = |delta: &str| {
        format!(
            "< {}",
            json!({ "type": "bash_execution_update", "id": "b", "delta": delta })
        )
    };
    let with = |pieces: &[&str]| {
        let mut session = vec![command("bash", "b", json!({ "command": "echo one" }))];
        session.extend(pieces.iter().map(|delta| piece(delta)));
        let data =
            json!({ "output": "one\n", "exitCode": 0, "cancelled": false, "truncated": false });
        session.push(ok("bash", "b", data));
        found("pi@0.87", &session)
    };

    assert_eq!(with(&["one\n"]), Vec::<String>::new());
    assert_eq!(with(&["o", "ne", "\n"]), Vec::<String>::new());
    assert_eq!(with(&["o", "ne"]), ["bash-output-told"]);
}
