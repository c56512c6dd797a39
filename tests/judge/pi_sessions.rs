//! The rules of pi@0.73 and pi@0.87 about session state, statistics and parallel commands.

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use serde_json::{Value, json};

const END: &str = "stdin_closed\nend 0";

fn command(kind: &str, id: &str, more: Value) -> String {
    let mut command = json!({ "type": kind, "id": id });
    extend(&mut command, more);
    format!("> {command}")
}

fn success(kind: &str, id: &str, data: Value) -> String {
    let mut response = json!({ "type": "response", "id": id, "command": kind, "success": true });
    if !data.is_null() {
        response["data"] = data;
    }
    format!("< {response}")
}

fn extend(value: &mut Value, more: Value) {
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
    extend(&mut state, more);
    state
}

fn stats(more: Value) -> Value {
    let mut stats = json!({
        "sessionId": "s", "userMessages": 1, "assistantMessages": 1, "toolCalls": 0, "toolResults": 0, "totalMessages": 2,
        "tokens": { "input": 100, "output": 10, "cacheRead": 50, "cacheWrite": 0, "total": 160 }, "cost": 0.000_465,
        "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16 },
    });
    extend(&mut stats, more);
    stats
}

/// A run with one reply, after a `get_state` that reports the model.
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
        success("get_state", "g0", state(json!({}))),
        command("prompt", "p", json!({ "message": "hi" })),
        success("prompt", "p", Value::Null),
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

/// The rules of the agent's findings, without notes, for an agent that was started without flags.
fn rules_found(dialect: &str, lines: &[String]) -> Vec<String> {
    let dialect = load(&DialectSource::default(), dialect).unwrap();
    let options = CheckOptions {
        argv: Some(Vec::new()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(dialect, options);
    for frame in crate::history::frames(&format!("{}\n{END}", lines.join("\n"))) {
        checker.push(&frame);
    }
    crate::agent_findings::rules(checker)
}

fn state_query(id: &str, more: Value) -> [String; 2] {
    [
        command("get_state", id, json!({})),
        success("get_state", id, state(more)),
    ]
}

#[test]
fn either_of_two_pending_settings_may_apply() {
    let name = |id: &str, name: &str| command("set_session_name", id, json!({ "name": name }));
    let level =
        |id: &str, level: &str| command("set_thinking_level", id, json!({ "level": level }));
    let both = [
        name("a", "one"),
        name("b", "two"),
        level("c", "low"),
        level("d", "high"),
        success("set_thinking_level", "d", Value::Null),
        success("set_session_name", "b", Value::Null),
        success("set_session_name", "a", Value::Null),
        success("set_thinking_level", "c", Value::Null),
    ];
    for (name, level) in [("one", "low"), ("two", "high"), ("one", "high")] {
        let query = state_query("g", json!({ "sessionName": name, "thinkingLevel": level }));
        let session = [both.to_vec(), query.to_vec()].concat();
        assert_eq!(
            rules_found("pi@0.73", &session),
            Vec::<String>::new(),
            "{name}"
        );
    }

    let one = [
        name("a", "one"),
        success("set_session_name", "a", Value::Null),
    ];
    let query = state_query("g", json!({ "sessionName": "two" }));
    let session = [one.to_vec(), query.to_vec()].concat();
    assert_eq!(rules_found("pi@0.73", &session), ["state-of-session"]);
}

#[test]
fn a_new_session_during_another_change_may_have_either_value() {
    let set = command("set_model", "m", json!({ "provider": "p", "modelId": "n" }));
    let session_created = success("new_session", "n", json!({ "cancelled": false }));
    let new_session = command("new_session", "n", json!({}));
    let model_set = success("set_model", "m", model("n"));
    for answers in [
        [&session_created, &model_set],
        [&model_set, &session_created],
    ] {
        for id in ["m", "n"] {
            let mut session = vec![new_session.clone(), set.clone()];
            session.extend(answers.map(Clone::clone));
            session.extend(state_query("g", json!({ "model": model(id) })));
            assert_eq!(
                rules_found("pi@0.73", &session),
                Vec::<String>::new(),
                "{id}"
            );
        }
    }

    let mut session = vec![set, model_set];
    session.extend(state_query("g", json!({ "model": model("m") })));
    assert_eq!(rules_found("pi@0.73", &session), ["state-of-model"]);
}

#[test]
fn a_failed_command_changes_nothing() {
    let failed = |kind: &str, id: &str| {
        let response = json!({ "type": "response", "id": id, "command": kind, "success": false, "error": "no" });
        format!("< {response}")
    };
    let mut session = state_query("g", json!({})).to_vec();
    session.push(command(
        "set_model",
        "m",
        json!({ "provider": "p", "modelId": "n" }),
    ));
    session.push(failed("set_model", "m"));
    let unchanged = [session.clone(), state_query("h", json!({})).to_vec()].concat();
    let changed = [
        session,
        state_query("h", json!({ "model": model("n") })).to_vec(),
    ]
    .concat();

    assert_eq!(rules_found("pi@0.73", &unchanged), Vec::<String>::new());
    assert_eq!(rules_found("pi@0.73", &changed), ["state-of-model"]);
}

#[test]
fn statistics_must_match_the_session() {
    let findings_with = |more: Value| {
        let mut session = run();
        session.push(command("get_session_stats", "t", json!({})));
        session.push(success("get_session_stats", "t", stats(more)));
        rules_found("pi@0.73", &session)
    };
    let none = Vec::<String>::new();

    assert_eq!(findings_with(json!({})), none);
    // Too far from the sum to be rounded to four decimals.
    assert_eq!(
        findings_with(
            json!({ "cost": 0.0006, "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16.4 }, "totalMessages": 3 })
        ),
        ["stats-cost"]
    );
    // Rounded, and with the agent's instructions counted as a message.
    assert_eq!(
        findings_with(
            json!({ "cost": 0.0005, "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 16.4 }, "totalMessages": 3 })
        ),
        none
    );
    assert_eq!(
        findings_with(
            json!({ "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 0.16 } })
        ),
        ["context-percent"]
    );
    assert_eq!(
        findings_with(
            json!({ "contextUsage": { "tokens": 160, "contextWindow": 1000, "percent": 32 } })
        ),
        ["context-percent"]
    );
    assert_eq!(
        findings_with(json!({ "userMessages": 2 })),
        ["stats-add-up", "stats-count"]
    );
    assert_eq!(
        findings_with(
            json!({ "tokens": { "input": 100, "output": 10, "cacheRead": 0, "cacheWrite": 0, "total": 110 } })
        ),
        ["stats-tokens"]
    );
}

#[test]
fn the_statistics_may_count_the_answers_that_were_tried_again() {
    let retry = json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 1, "errorMessage": "e" });
    let is_found = |retries: &[Value]| {
        let mut session: Vec<_> = retries.iter().map(|one| format!("< {one}")).collect();
        session.extend(run());
        session.push(command("get_messages", "m", json!({})));
        session.push(success("get_messages", "m", json!({ "messages": [] })));
        session.push(command("get_session_stats", "t", json!({})));
        let data = stats(json!({ "totalMessages": 6 }));
        session.push(success("get_session_stats", "t", data));
        rules_found("pi@0.73", &session).contains(&"messages-counted".to_owned())
    };

    assert!(is_found(&[]));
    assert!(!is_found(&[retry]));
}

#[test]
fn a_state_requested_before_a_run_is_not_compared_with_the_run() {
    // The state is requested before the run and answered after it.
    let mut late = run();
    late.insert(2, command("get_state", "g", json!({})));
    late.push(success("get_state", "g", state(json!({}))));
    let mut wrong = run();
    wrong.extend(state_query("g", json!({ "messageCount": 9 })));

    assert_eq!(rules_found("pi@0.73", &late), Vec::<String>::new());
    assert_eq!(rules_found("pi@0.73", &wrong), ["state-counts-messages"]);
}

#[test]
fn streamed_output_may_come_in_any_chunks() {
    let piece = |delta: &str| {
        format!(
            "< {}",
            json!({ "type": "bash_execution_update", "id": "b", "delta": delta })
        )
    };
    let findings_with = |pieces: &[&str]| {
        let mut session = vec![command("bash", "b", json!({ "command": "echo one" }))];
        session.extend(pieces.iter().map(|delta| piece(delta)));
        let data =
            json!({ "output": "one\n", "exitCode": 0, "cancelled": false, "truncated": false });
        session.push(success("bash", "b", data));
        rules_found("pi@0.87", &session)
    };

    assert_eq!(findings_with(&["one\n"]), Vec::<String>::new());
    assert_eq!(findings_with(&["o", "ne", "\n"]), Vec::<String>::new());
    assert_eq!(findings_with(&["o", "ne"]), ["bash-output-told"]);
}

#[test]
fn costs_may_be_rounded_to_four_decimals() {
    let found = |costs: &str| {
        let exact = r#""cost":{"input":0.0003,"output":0.00015,"cacheRead":0.000015,"cacheWrite":0,"total":0.000465}"#;
        let session: Vec<String> = run()
            .iter()
            .map(|line| line.replace(exact, costs))
            .collect();
        assert_ne!(session, run());
        rules_found("pi@0.73", &session)
    };
    let rounded =
        r#""cost":{"input":0.0003,"output":0.0002,"cacheRead":0.0,"cacheWrite":0,"total":0.0005}"#;
    assert_eq!(found(rounded), Vec::<String>::new());
    let wrong = rounded.replace("0.0002", "0.0004");
    assert_eq!(found(&wrong), ["cost-at-rates"]);
    let wrong = rounded.replace("0.0005", "0.001");
    assert_eq!(found(&wrong), ["cost-total"]);
}

#[test]
fn the_end_of_a_run_may_leave_out_its_prompt_and_keep_a_queued_message() {
    let first = run();
    let mut queued: Vec<String> = first[5..11].to_vec();
    for line in &mut queued {
        *line = line.replace("\"hi\"", "\"and\"").replace("Hello", "More");
    }
    let message = |line: &String| {
        let event: Value = serde_json::from_str(line.trim_start_matches("< ")).unwrap();
        event["message"].clone()
    };
    let steer = [
        command("steer", "s", json!({ "message": "and" })),
        "< {\"type\":\"queue_update\",\"steering\":[\"and\"],\"followUp\":[]}".to_owned(),
        success("steer", "s", Value::Null),
    ];
    let (hi, hello) = (message(&first[7]), message(&first[9]));
    let (and, more) = (message(&queued[2]), message(&queued[4]));
    let found = |messages: Value| {
        let end = format!("< {}", json!({ "type": "agent_end", "messages": messages }));
        rules_found(
            "pi@0.73",
            &[&first[..6], &steer, &first[6..11], &queued, &[end]].concat(),
        )
    };
    for legal in [
        json!([hi, hello, and, more]),
        json!([hello, and, more]),
        json!([hello, more]),
    ] {
        assert_eq!(found(legal.clone()), Vec::<String>::new(), "{legal}");
    }
    for wrong in [json!([and, more]), json!([hi, hello, more])] {
        assert_eq!(found(wrong.clone()), ["run-messages"], "{wrong}");
    }
}

#[test]
fn the_tree_of_a_long_session_is_read_and_is_no_finding() {
    let mut tree = json!([]);
    let mut leaf = Value::Null;
    for n in (0..400_u32).rev() {
        let id = format!("e{n}");
        let parent = n.checked_sub(1).map(|before| format!("e{before}"));
        let entry = json!({ "type": "thinking_level_change", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00Z", "thinkingLevel": "low" });
        leaf = if leaf.is_null() { json!(id) } else { leaf };
        tree = json!([{ "entry": entry, "children": tree }]);
    }
    let session = [
        command("get_tree", "t", json!({})),
        success("get_tree", "t", json!({ "tree": tree, "leafId": leaf })),
    ];
    assert_eq!(rules_found("pi@0.87", &session), [""; 0]);

    let wrong = session.map(|line| line.replace(r#""id":"e399""#, r#""id":399"#));
    assert_eq!(rules_found("pi@0.87", &wrong), ["schema/response.get_tree"]);
}
