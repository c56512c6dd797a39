//! The rules of synaps@1: sessions as in real agents of several versions, and similar ones that break a rule.

mod session;

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use serde_json::json;
use std::sync::{Arc, LazyLock};

static DIALECT: LazyLock<Arc<Dialect>> =
    LazyLock::new(|| load(&DialectSource::default(), "synaps@1").unwrap());

/// Expands the shorthand of these tests into a frame: `text Hello`, `start c1`, `piece c1 {}`, `result c1`, `done p1 prompt`, `refused p2`, `> prompt p1`, …
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
        "state" | "busy" => {
            let busy = word(0) == "busy";
            let (model, session) = match (word(2), word(3)) {
                ("", "") => ("local/m", "s1"),
                (model, "") => (model, "s1"),
                names => names,
            };
            json!({ "type": "response", "id": word(1), "command": "get_state", "streaming": busy, "model": model, "session_id": session })
        }
        "messages" => {
            let texts = rest(2);
            let texts: Vec<&str> = texts.split('|').filter(|text| !text.is_empty()).collect();
            json!({ "type": "response", "id": word(1), "command": "get_messages", "history": texts })
        }
        "models" => {
            let models = words.get(2..).unwrap_or_default();
            json!({ "type": "response", "id": word(1), "command": "get_available_models", "models": models })
        }
        "stats" => {
            let count = |n: usize| word(n).parse::<u64>().unwrap();
            json!({ "type": "response", "id": word(1), "command": "get_session_stats", "tokens": { "in": count(2), "out": count(3) } })
        }
        "set" => json!({ "type": "response", "id": word(1), "command": "set_model", "ok": true }),
        "fresh" => {
            json!({ "type": "response", "id": word(1), "command": "new_session", "session_id": word(2) })
        }
        "end_as" => {
            json!({ "type": "agent_end", "usage": { "input_tokens": 10, "output_tokens": 2, "model": word(1) } })
        }
        "refused" => json!({ "type": "error", "id": word(1), "message": "no" }),
        "bad" => json!({ "type": "error", "message": "no" }),
        "event" => json!({ "type": "event", "source": "timer" }),
        ">" => {
            let command = match word(1) {
                kind @ ("prompt" | "follow_up") => {
                    let text = rest(3);
                    let text = if text.is_empty() { "m" } else { &text };
                    json!({ "type": kind, "id": word(2), "message": text })
                }
                "shutdown" if word(2).is_empty() => json!({ "type": "shutdown" }),
                "set_model" => json!({ "type": "set_model", "id": word(2), "model": word(3) }),
                "raw" => return format!("> {}", rest(2)),
                kind => json!({ "type": kind, "id": word(2) }),
            };
            return format!("> {command}");
        }
        _ => return line.to_owned(),
    };
    format!("< {event}")
}

/// The rules of the agent's findings in a session, without notes.
fn rules_found(session: &str) -> Vec<String> {
    rules_found_with(&["synaps", "rpc"], session)
}

/// The same, of an agent that was started like this.
fn rules_found_with(argv: &[&str], session: &str) -> Vec<String> {
    let options = CheckOptions {
        argv: Some(argv.iter().map(|word| (*word).to_owned()).collect()),
        ..CheckOptions::default()
    };
    let lines = session.split(';').map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).map(frame);
    let mut checker = Checker::new(Arc::clone(&DIALECT), options);
    for frame in crate::history::frames(&lines.collect::<Vec<_>>().join("\n")) {
        checker.push(&frame);
    }
    crate::agent_findings::rules(checker)
}

fn assert_clean(sessions: &[&str]) {
    for session in sessions {
        let whole = format!("ready; {session}");
        assert_eq!(rules_found(&whole), Vec::<String>::new(), "{session}");
    }
}

fn assert_findings(sessions: &[(&str, &[&str])]) {
    for (session, rules) in sessions {
        let whole = format!("ready; {session}");
        assert_eq!(rules_found(&whole), *rules, "{session}");
    }
}

#[test]
fn turns_may_end_as_in_any_version() {
    assert_clean(&[
        "> prompt p1; text a; > abort a1; done p1 prompt; done a1 abort; stdin_closed; end 0",
        "> prompt p1; text a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; done p1 prompt; text a; agent_end; > shutdown; end 0",
        "> prompt p1; text a; done p1 prompt; text b; agent_end; > shutdown; end 0",
        "> prompt p1; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
        "> prompt p1; done p1 prompt; refused p1; agent_end; > shutdown; end 0",
        "> prompt p1; text a; > abort a1; agent_end; done p1 prompt; done a1 abort; > shutdown; end 0",
        "> prompt p1; text a; > abort a1; done a1 abort; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; text a; agent_end; done p1 prompt; > prompt p2; refused p2; > shutdown; end 0",
        "> prompt p1; text a; > prompt p2; refused p2; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; text a; > get_state s1; busy s1; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; text a; > shutdown; end 0",
        "> prompt p1; done p1 prompt; text a; > shutdown; end 0",
        "> prompt p1; text a; > shutdown; text b; agent_end; done p1 prompt; end 0",
        "> prompt p1; text a; stdin_closed; end 0",
        "> prompt p1; text a; done p1 prompt; > prompt p2; text a; done p2 prompt; agent_end; text a; agent_end; > shutdown; end 0",
        "> prompt p1; text a; done p1 prompt; > prompt p2; agent_end; text a; done p2 prompt; agent_end; > shutdown; end 0",
        "> abort a1; done a1 abort; > shutdown; end 0",
        "> abort a1; refused a1; stdin_closed; end 0",
        "> compact c1; refused c1; > shutdown; end 0",
        "> compact c1; > get_state s1; > shutdown; end 0",
        "> prompt p1; text a; > shutdown; > get_state s1; agent_end; done p1 prompt; end 0",
        "> prompt x; text a; > get_state x; agent_end; done x prompt; state x; > shutdown; end 0",
        "> compact c1; > get_state s1; end killed budget",
        "> prompt p1; text a; end killed budget",
    ]);
}

#[test]
fn a_prompt_that_is_refused_during_a_turn_does_not_keep_the_turn_open() {
    let turn = "> prompt p1; text a; > prompt p2; refused p2; text b; agent_end";
    let queued = "> prompt p1; text a; > prompt p2; text b; agent_end; refused p2; agent_end";
    let next = "> prompt p3; text a; agent_end; done p3 prompt; > shutdown; end 0";
    assert_clean(&[
        &format!("{turn}; done p1 prompt; {next}"),
        &format!("{queued}; done p1 prompt; failed p2 prompt; {next}"),
        // The messages of a queue fail without an end of their turns.
        &format!(
            "> prompt p1; text a; > prompt p2; refused p1; failed p1 prompt; refused p2; failed p2 prompt; {next}"
        ),
    ]);
    assert_findings(&[
        (&format!("{turn}; {next}"), &["answered-before-exit"]),
        (
            &format!("{turn}; done p1 prompt; text lost; {next}"),
            &["update-in-turn"],
        ),
    ]);
}

#[test]
fn a_command_that_is_refused_during_a_turn_does_not_make_the_turn_a_failed_one() {
    let refused = |command: &str| {
        format!(
            "> prompt p1; start a; piece a {{}}; {command}; refused x; result a; text b; agent_end; done p1 prompt; > shutdown; end 0"
        )
    };
    for command in [
        "> prompt x",
        "> follow_up x",
        "> new_session x",
        "> compact x",
    ] {
        let whole = refused(command);
        assert_clean(&[&whole]);
        assert_findings(&[(&whole.replace("result a; ", ""), &["toolcall-has-result"])]);
    }
    // A turn that failed has calls without results.
    assert_clean(&[
        "> prompt p1; start a; piece a {}; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
    ]);
}

#[test]
fn events_of_later_versions_are_accepted() {
    assert_clean(&[
        "> prompt p1; kind response_start; text a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; kind response_start; start c1; piece c1 {\"a\":; kind response_reset; kind response_start; start c1; piece c1 {}; result c1; text a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; kind response_start; start c1; piece c1 {}; kind response_reset; text a; agent_end; done p1 prompt; > shutdown; end 0",
        "event; text a; agent_end; done auto:1 auto_turn; > shutdown; end 0",
        "event; refused auto:1; agent_end; failed auto:1 auto_turn; > shutdown; end 0",
        "> prompt p1; done p1 attachments.disclosure; text a; agent_end; done p1 prompt; > shutdown; end 0",
        "> compact c1; done c1 compact.disclosure; done c1 compact; > shutdown; end 0",
        "> tools_list t1; done t1 tools_list; > shutdown; end 0",
    ]);
}

#[test]
fn tool_calls_may_come_in_every_observed_order() {
    assert_clean(&[
        "> prompt p1; start a; piece a {}; start b; piece b {}; result b; result a; text x; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; start a; piece a {\"x\":; piece a 1}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; start a; piece a {\"x\":1}; input a {\"x\":1}; result a; start a; piece a {\"x\":2}; input a {\"x\":2}; result a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; start a; input a {}; result a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; start a; piece a {}; > abort a1; agent_end; done p1 prompt; done a1 abort; > shutdown; end 0",
        "> prompt p1; start a; piece a {\"x; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
        "> prompt p1; start a; piece a {}; sub start 1; sub update 1; sub done 1; result a; agent_end; done p1 prompt; > shutdown; end 0",
        "> prompt p1; sub start 1; sub start 2; sub update 2; sub done 1; sub done 2; text a; agent_end; done p1 prompt; > shutdown; end 0",
    ]);
}

#[test]
fn sessions_that_no_version_allows_have_findings() {
    assert_findings(&[
        ("text a; > shutdown; end 0", &["update-in-turn"]),
        ("agent_end; > shutdown; end 0", &["end-of-a-turn"]),
        (
            "> prompt p1; text a; agent_end; text b; done p1 prompt; > shutdown; end 0",
            &["update-in-turn"],
        ),
        (
            "> prompt p1; text a; agent_end; agent_end; done p1 prompt; > prompt p2; text a; agent_end; done p2 prompt; > shutdown; end 0",
            &["end-of-a-turn"],
        ),
        (
            "> prompt p1; text a; done p1 prompt; > shutdown; end 0",
            &["turn-ends-before-exit"],
        ),
        (
            "> prompt p1; text a; done p1 prompt; > prompt p2; text a; agent_end; done p2 prompt; > shutdown; end 0",
            &["turn-ends-before-exit"],
        ),
        (
            "> prompt p1; text a; > get_state s1; state s1; agent_end; done p1 prompt; > shutdown; end 0",
            &["state-streaming"],
        ),
        (
            "> prompt p1; text a; agent_end; > shutdown; end 0",
            &["answered-before-exit"],
        ),
        (
            "> prompt p1; text a; agent_end; stdin_closed; end 0",
            &["answered-before-exit"],
        ),
        (
            "> get_state s1; > shutdown; end 0",
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
            "> get_state s1; state s1; state s1; > shutdown; end 0",
            &["answered-once"],
        ),
        (
            "> get_state s1; state s1; refused s1; > shutdown; end 0",
            &["answered-once"],
        ),
        (
            "> prompt p1; text a; agent_end; done p1 prompt; done p1 prompt; > shutdown; end 0",
            &["answered-once"],
        ),
        ("state s9; > shutdown; end 0", &["known-id"]),
        ("refused s9; > shutdown; end 0", &["known-id"]),
        (
            "> follow_up f1; text a; agent_end; done f1 prompt; > shutdown; end 0",
            &["response-command"],
        ),
        (
            "> prompt p1; start a; start a; piece a {}; result a; agent_end; done p1 prompt; > shutdown; end 0",
            &["toolcall-has-result"],
        ),
        (
            "> prompt p1; start a; piece a {}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end 0",
            &["toolcall-input-whole"],
        ),
        (
            "> prompt p1; start a; result a; start a; piece a {}; input a {\"x\":1}; result a; agent_end; done p1 prompt; > shutdown; end 0",
            &["toolcall-input-whole"],
        ),
        (
            "> prompt p1; start a; piece a {}; agent_end; done p1 prompt; > shutdown; end 0",
            &["toolcall-has-result"],
        ),
        (
            "> prompt p1; sub start 2; sub start 1; text a; agent_end; done p1 prompt; > shutdown; end 0",
            &["subagent-ids-grow"],
        ),
        (
            "> prompt p1; sub start 1; sub done 1; sub update 1; text a; agent_end; done p1 prompt; > shutdown; end 0",
            &["subagent-lifecycle"],
        ),
        ("> prompt p1; text a; end 0", &["stays-alive"]),
        ("> shutdown; end 1", &["shutdown-exits"]),
        (
            "> shutdown; done q shutdown; end 0",
            &["known-id", "shutdown-unanswered"],
        ),
    ]);
}

/// Checks a session without adding a `ready`.
fn assert_findings_from_start(session: &str, rules: &[&str]) {
    assert_eq!(rules_found(session), rules, "{session}");
}

#[test]
fn a_shutdown_may_have_an_id_and_is_not_answered() {
    assert_clean(&[
        "> shutdown q; end 0",
        "> get_state s1; state s1; > shutdown q; end 0",
    ]);
    assert_findings(&[
        ("> shutdown q; end 3", &["shutdown-exits"]),
        (
            "> get_state s1; > shutdown q; end 0",
            &["answered-before-exit"],
        ),
        (
            "> shutdown q; done q shutdown; end 0",
            &["shutdown-unanswered"],
        ),
    ]);
}

#[test]
fn a_failed_start_has_no_findings_about_the_end_of_the_session() {
    assert_findings_from_start("> shutdown; end 1", &[]);
    assert_findings_from_start("bad; end 1", &[]);
    assert_findings_from_start("stdin_closed; end 2", &[]);
    assert_findings_from_start("end 0", &["ready-first"]);
    assert_findings_from_start("> shutdown; end 0", &["ready-first"]);
    assert_findings_from_start("bad; ready; > shutdown; end 0", &["ready-first"]);
}

#[test]
fn an_invalid_frame_may_be_refused_with_or_without_its_id_and_a_valid_one_only_with_it() {
    assert_clean(&[
        "> raw {\"type\":\"prompt\",\"id\":\"w1\"}; bad; > shutdown; end 0",
        "> raw {\"type\":\"prompt\",\"id\":\"w1\"}; refused w1; > shutdown; end 0",
        "> raw {\"type\":\"prompt\",\"id\":\"w1\",\"message\":7}; bad; > shutdown; end 0",
        "> raw {\"type\":\"set_model\",\"id\":\"w1\"}; bad; > shutdown; end 0",
        "> raw {\"type\":\"get_state\",\"id\":7}; refused 7; > shutdown; end 0",
        "> prompt p1; bad; agent_end; done p1 prompt; > shutdown; end 0",
    ]);
    assert_findings(&[
        (
            "> get_state s1; bad; > shutdown; end 0",
            &["answered-before-exit"],
        ),
        (
            "> raw {; bad; > get_state s1; bad; > shutdown; end 0",
            &["answered-before-exit"],
        ),
        (
            "> prompt p1; bad; agent_end; failed p1 prompt; > shutdown; end 0",
            &["failure-told"],
        ),
    ]);
}

#[test]
fn a_turn_asks_the_model() {
    let first =
        "> prompt p1 one; request {\"a\":\"one\"}; reply 200; text Hi; agent_end; done p1 prompt";
    let second = |turn: &str| format!("{first}; > prompt p2 two; {turn}");
    let answered = second("text Hi; agent_end; done p2 prompt");
    let failed = second("refused p2; failed p2 prompt");
    assert_findings(&[
        (&answered, &["answer-asked"]),
        (&failed, &["failure-asked"]),
    ]);
    assert_clean(&[
        &second("request {\"a\":\"two\"}; reply 500; refused p2; failed p2 prompt"),
        "> prompt p1 one; text Hi; agent_end; done p1 prompt",
        &format!("{first}; > set_model s1 other; > prompt p2 two; refused p2; set s1"),
        &format!(
            "{first}; > raw {{\"type\":\"prompt\",\"id\":\"p2\",\"message\":{{}}}}; refused p2"
        ),
    ]);
}

#[test]
fn each_frame_that_cannot_be_read_has_its_own_error() {
    let frames = "> raw x {oops; > raw x {\"type\":\"nonsense\"}; bad";
    assert_clean(&[&format!("{frames}; bad; > shutdown; end 0")]);
    assert_findings(&[(
        &format!("{frames}; > shutdown; end 0"),
        &["bad-frame-answered"],
    )]);
}

#[test]
fn a_query_may_wait_for_the_turn_but_not_longer() {
    assert_clean(&[
        "> prompt p1; text a; > get_state s1; end killed budget",
        "> prompt p1; text a; > get_state s1; agent_end; done p1 prompt; state s1; > shutdown; end 0",
    ]);
    assert_findings(&[
        ("> get_state s1; end killed budget", &["answered-in-time"]),
        (
            "> prompt p1; text a; agent_end; done p1 prompt; > get_state s1; end killed budget",
            &["answered-in-time"],
        ),
    ]);
}

#[test]
fn commands_in_one_write_may_be_answered_in_any_way_that_fits_their_order() {
    assert_clean(&[
        "> set_model m1 local/a; > set_model m2 local/b; > get_state s1; set m1; set m2; state s1 local/b; > get_state s2; state s2 b; > shutdown; end 0",
        "> get_state s1; > set_model m1 local/a; set m1; state s1 local/m; > shutdown; end 0",
        "> new_session n1; > set_model m1 local/a; > new_session n2; fresh n1 s2; set m1; fresh n2 s3; > get_state s1; state s1 local/a s3; > shutdown; end 0",
        "> get_state s1; > new_session n1; fresh n1 s2; state s1; > shutdown; end 0",
        "> prompt p1 remember-bittern; text a; agent_end; done p1 prompt; > new_session n1; > get_messages g1; fresh n1 s2; messages g1; > shutdown; end 0",
        "> prompt p1 remember-bittern; text a; > new_session n1; agent_end; done p1 prompt; fresh n1 s2; > get_messages g1; messages g1; > shutdown; end 0",
        "> set_model m1 local/a; > prompt p1; set m1; text a; end_as a; done p1 prompt; > shutdown; end 0",
    ]);
    assert_findings(&[
        (
            "> set_model m1 local/a; set m1; > get_state s1; state s1 local/m; > shutdown; end 0",
            &["model-current"],
        ),
        (
            "> new_session n1; fresh n1 s2; > get_state s1; state s1 local/m s1; > shutdown; end 0",
            &["session-id-current"],
        ),
        (
            "> new_session n1; fresh n1 s1; > shutdown; end 0",
            &["session-id-unique"],
        ),
        (
            "> set_model m1 local/a; set m1; > prompt p1; text a; end_as local/m; done p1 prompt; > shutdown; end 0",
            &["usage-model"],
        ),
    ]);
}

#[test]
fn the_conversation_may_be_at_any_position_of_the_response() {
    assert_clean(&[
        "> prompt p1 remember-bittern; text I will.; agent_end; done p1 prompt; > get_messages g1; messages g1 user: remember-bittern|I will.; > shutdown; end 0",
        "> prompt p1 remember-bittern; refused p1; agent_end; failed p1 prompt; > get_messages g1; messages g1; > shutdown; end 0",
        "> prompt p1 remember-bittern; text a; > abort a1; agent_end; done p1 prompt; done a1 abort; > get_messages g1; messages g1; > shutdown; end 0",
        "> prompt p1 remember-bittern; text a; agent_end; done p1 prompt; > compact c1; done c1 compact; > get_messages g1; messages g1 SUMMARY; > shutdown; end 0",
        "> prompt p1 remember-bittern; text a; agent_end; done p1 prompt; > new_session n1; fresh n1 s2; > get_messages g1; messages g1; > shutdown; end 0",
        "> prompt p1; text a; agent_end; done p1 prompt; > get_session_stats g1; stats g1 10 2; > prompt p2; text a; agent_end; done p2 prompt; > get_session_stats g2; stats g2 20 4; > shutdown; end 0",
        "> prompt p1; text a; agent_end; done p1 prompt; > get_session_stats g1; stats g1 12 0; > shutdown; end 0",
    ]);
    assert_findings(&[
        (
            "> prompt p1 remember-bittern; text I will.; agent_end; done p1 prompt; > get_messages g1; messages g1; > shutdown; end 0",
            &["history-kept"],
        ),
        (
            "> prompt p1 remember-bittern; text I will.; agent_end; done p1 prompt; > get_messages g1; messages g1 remember-bittern; > shutdown; end 0",
            &["history-kept"],
        ),
        (
            "> prompt p1 remember-bittern; text a; agent_end; done p1 prompt; > compact c1; refused c1; > get_messages g1; messages g1; > shutdown; end 0",
            &["history-kept"],
        ),
        (
            "> prompt p1 remember-bittern; text I will.; agent_end; done p1 prompt; > new_session n1; fresh n1 s2; > get_messages g1; messages g1 I will.; > shutdown; end 0",
            &[],
        ),
        (
            "> prompt p1 remember; text I will keep it.; agent_end; done p1 prompt; > new_session n1; fresh n1 s2; > get_messages g1; messages g1 I will keep it.; > shutdown; end 0",
            &["history-discarded"],
        ),
        (
            "> prompt p1; text a; agent_end; done p1 prompt; > prompt p2; text a; agent_end; done p2 prompt; > get_session_stats g2; stats g2 10 2; > shutdown; end 0",
            &["stats-are-sums"],
        ),
        (
            "> prompt p1; text a; agent_end; done p1 prompt; > new_session n1; fresh n1 s2; > prompt p2; text a; agent_end; done p2 prompt; > get_session_stats g2; stats g2 20 4; > shutdown; end 0",
            &["stats-are-sums"],
        ),
    ]);
}

#[test]
fn a_message_accepted_during_a_turn_reaches_the_model() {
    assert_clean(&[
        "> prompt p1 one-at-first; request {\"m\":\"one-at-first\"}; text a; > prompt p2 second-in-line; refused p2; agent_end; done p1 prompt; > prompt p3 third-in-line; request {\"m\":\"third-in-line\"}; text a; agent_end; done p3 prompt; > shutdown; end 0",
        "> prompt p1 one-at-first; request {\"m\":\"one-at-first\"}; text a; > prompt p2 second-in-line; done p2 prompt; agent_end; done p1 prompt; request {\"m\":\"second-in-line\"}; text a; agent_end; > prompt p3 third-in-line; request {\"m\":\"third-in-line\"}; text a; agent_end; done p3 prompt; > shutdown; end 0",
        "> prompt p1 one-at-first; request {\"m\":\"one-at-first\"}; text a; > prompt p2 second-in-line; done p2 prompt; text a; > shutdown; end 0",
    ]);
    assert_findings(&[(
        "> prompt p1 one-at-first; request {\"m\":\"one-at-first\"}; text a; > prompt p2 second-in-line; done p2 prompt; agent_end; done p1 prompt; > prompt p3 third-in-line; request {\"m\":\"third-in-line\"}; text a; agent_end; done p3 prompt; > shutdown; end 0",
        &["accepted-message-submitted"],
    )]);
}

#[test]
fn a_last_line_without_a_newline_may_be_processed_or_ignored() {
    assert_clean(&[
        ">torn {\"type\":\"get_state\",\"id\":\"s1\"}; stdin_closed; end 0",
        ">torn {\"type\":\"get_state\",\"id\":\"s1\"}; stdin_closed; state s1; end 0",
        ">torn {\"type\":; stdin_closed; end 0",
        ">torn {\"type\":; stdin_closed; bad; end 0",
        ">torn {\"type\":\"shutdown\"}; stdin_closed; end 0",
        "> prompt p1; text a; agent_end; done p1 prompt; >torn {\"type\":\"prompt\",\"id\":\"p2\",\"message\":\"m\"}; stdin_closed; end 0",
    ]);
    assert_findings(&[
        (
            "> get_state s1; stdin_closed; end 0",
            &["answered-before-exit"],
        ),
        (
            "> raw {\"type\":; stdin_closed; end 0",
            &["bad-frame-answered"],
        ),
        (
            ">torn {\"type\":\"get_state\",\"id\":\"s1\"}; stdin_closed; state s1; state s1; end 0",
            &["answered-once"],
        ),
    ]);
}

#[test]
fn a_repeated_error_needs_a_new_request_to_the_model() {
    assert_clean(&[
        "> prompt p1; request {}; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
        "> prompt p1; request {}; refused p1; request {}; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
        "> prompt p1; refused p1; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
        "> abort x; refused x; > abort x; refused x; > shutdown; end 0",
        "> prompt p1; request {}; refused p1; agent_end; failed p1 prompt; > raw {\"id\":\"x\",\"message\":\"m\"}; refused x; > raw {\"id\":\"x\",\"message\":\"m\"}; refused x; > shutdown; end 0",
    ]);
    assert_findings(&[
        (
            "> prompt p1; request {}; refused p1; refused p1; agent_end; failed p1 prompt; > shutdown; end 0",
            &["error-told-once"],
        ),
        (
            "> set_model m1 x; refused m1; refused m1; > shutdown; end 0",
            &["error-told-once"],
        ),
    ]);
}

#[test]
fn what_the_page_allows_is_not_accused_and_a_similar_breach_is() {
    crate::pairs::assert_pairs("synaps@1", include_str!("synaps_rules/pairs.txt"));
}
