//! The rules of the pi dialects: sessions that the specification allows, and similar ones that break a rule.

mod unusual_agents;

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::frame::Body;
use serde_json::{Value, json};

/// A placeholder for a byte that is not UTF-8.
const BAD: char = '\u{fffd}';

fn user_message(text: &str) -> Value {
    json!({ "role": "user", "content": text, "timestamp": 1_764_547_200_000_u64 })
}

fn assistant_message(content: &Value, stop: &str) -> Value {
    json!({
        "role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "stopReason": stop, "timestamp": 1_764_547_200_001_u64,
        "usage": { "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 } },
    })
}

fn text_message(text: &str) -> Value {
    assistant_message(&json!([{ "type": "text", "text": text }]), "stop")
}

fn tool_call() -> Value {
    json!({ "type": "toolCall", "id": "c1", "name": "bash", "arguments": { "command": "ls" } })
}

fn tool_call_message() -> Value {
    assistant_message(&json!([tool_call()]), "toolUse")
}

fn tool_result_message() -> Value {
    json!({ "role": "toolResult", "toolCallId": "c1", "toolName": "bash", "content": [{ "type": "text", "text": "r" }], "isError": false, "timestamp": 1_764_547_200_002_u64 })
}

/// Expands the shorthand of these tests into a frame: `user hi`, `text 0 Hel Hello`, `answer Hello`, `ends hi Hello`, `> prompt hi`, …
fn frame(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    let update = |event: Value, partial: &Value| {
        let mut event = event;
        event["partial"] = partial.clone();
        json!({ "type": "message_update", "message": partial, "assistantMessageEvent": event })
    };
    let turn = |message: Value, results: Value| json!({ "type": "turn_end", "message": message, "toolResults": results });
    let event = match word(0) {
        "user-begins" => json!({ "type": "message_start", "message": user_message(word(1)) }),
        "user" => json!({ "type": "message_end", "message": user_message(word(1)) }),
        "begins" => {
            json!({ "type": "message_start", "message": assistant_message(&json!([]), "stop") })
        }
        "text" => update(
            json!({ "type": "text_delta", "contentIndex": 0, "delta": word(1) }),
            &text_message(word(2)),
        ),
        "call" => update(
            json!({ "type": "toolcall_start", "contentIndex": 0 }),
            &tool_call_message(),
        ),
        "called" => update(
            json!({ "type": "toolcall_end", "contentIndex": 0, "toolCall": tool_call() }),
            &tool_call_message(),
        ),
        "answer" => json!({ "type": "message_end", "message": text_message(word(1)) }),
        "asks" => json!({ "type": "message_end", "message": tool_call_message() }),
        "tool" => {
            json!({ "type": "tool_execution_start", "toolCallId": word(1), "toolName": "bash", "args": { "command": "ls" } })
        }
        "progress" => json!({
            "type": "tool_execution_update", "toolCallId": "c1", "toolName": "bash", "args": { "command": "ls" },
            "partialResult": { "content": [{ "type": "text", "text": word(1) }] },
        }),
        "tool-over" => json!({
            "type": "tool_execution_end", "toolCallId": "c1", "toolName": "bash", "result": { "content": [{ "type": "text", "text": "r" }] }, "isError": false,
        }),
        "result-begins" => json!({ "type": "message_start", "message": tool_result_message() }),
        "result" => json!({ "type": "message_end", "message": tool_result_message() }),
        "turn" => json!({ "type": "turn_start" }),
        "turn-over" => turn(text_message(word(1)), json!([])),
        "tools-over" => turn(tool_call_message(), json!([tool_result_message()])),
        "run" => json!({ "type": "agent_start" }),
        "run-over" => {
            json!({ "type": "agent_end", "messages": [user_message(word(1)), text_message(word(2))] })
        }
        "tools-run-over" => {
            json!({ "type": "agent_end", "messages": [user_message(word(1)), tool_call_message(), tool_result_message(), text_message(word(2))] })
        }
        "bashed" => json!({
            "type": "bash_end",
            "message": { "role": "bashExecution", "command": word(1), "output": "", "exitCode": 0, "cancelled": false, "truncated": false, "timestamp": 1_764_547_200_000_u64 },
        }),
        "ok" => json!({ "type": "response", "id": word(1), "command": word(2), "success": true }),
        ">" if !word(1).starts_with('{') => {
            let command = match word(1) {
                "bash" => json!({ "type": "bash", "command": word(2) }),
                kind => json!({ "type": kind, "id": word(2), "message": word(3) }),
            };
            return format!("> {command}");
        }
        _ => return line.to_owned(),
    };
    format!("< {event}")
}

/// The rules of the agent's findings in a session, without notes. The agent was started without flags.
fn rules_found(dialect: &str, session: &str) -> Vec<String> {
    rules_found_with(dialect, &[], session)
}

fn rules_found_with(dialect: &str, flags: &[&str], session: &str) -> Vec<String> {
    let dialect = load(&DialectSource::default(), dialect).unwrap();
    let lines = session.split(';').map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).map(frame);
    let options = CheckOptions {
        argv: Some(flags.iter().map(|flag| (*flag).to_owned()).collect()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(dialect, options);
    for mut frame in crate::history::frames(&lines.collect::<Vec<_>>().join("\n")) {
        if let Body::ToAgent(line) = &mut frame.body {
            let text = String::from_utf8(line.bytes.clone()).unwrap();
            let parts = text.split(BAD).map(str::as_bytes);
            line.bytes = parts.collect::<Vec<_>>().join(&0xe4);
        }
        checker.push(&frame);
    }
    crate::agent_findings::rules(checker)
}

fn assert_clean(dialect: &str, sessions: &[&str]) {
    for session in sessions {
        assert_eq!(
            rules_found(dialect, session),
            Vec::<String>::new(),
            "{session}"
        );
    }
}

fn assert_findings(dialect: &str, sessions: &[(&str, &[&str])]) {
    for (session, rules) in sessions {
        assert_eq!(rules_found(dialect, session), *rules, "{session}");
    }
}

const END: &str = "stdin_closed; end 0";

#[test]
fn a_command_that_is_not_utf8_may_be_accepted_or_refused() {
    let run = format!(
        "run; turn; user-begins h{BAD}; user h{BAD}; begins; text Hi Hi; answer Hi; turn-over Hi; run-over h{BAD} Hi"
    );
    let garbled = format!("> prompt p1 h{BAD}; {run}; {END}");
    let refused =
        format!("> prompt p1 h{BAD}; < {{\"type\":\"error\",\"error\":\"not UTF-8\"}}; {END}");
    let bash = format!("> bash l{BAD}s; bashed l{BAD}s; {END}");
    assert_clean("pi@0.14", &[&garbled, &refused, &bash]);
    assert_findings(
        "pi@0.14",
        &[
            (&format!("{run}; {END}"), &["run-has-prompt"]),
            (&format!("bashed ls; {END}"), &["bash-own-command"]),
        ],
    );

    let parse = r#"< {"type":"response","command":"parse","success":false,"error":"not UTF-8"}"#;
    let garbled = format!("> prompt p1 h{BAD}; ok p1 prompt; {run}; {END}");
    let refused = format!("> prompt p1 h{BAD}; {parse}; {END}");
    assert_clean("pi@0.73", &[&garbled, &refused]);
    assert_findings(
        "pi@0.73",
        &[(&format!("ok p1 prompt; {END}"), &["answered"])],
    );
}

#[test]
fn a_line_without_a_type_excuses_only_itself() {
    let typeless = r#"> {"message":"hi"}; < {"type":"error","error":"no type"}"#;
    let run = "run; turn; user-begins hi; user hi; begins; text Hi Hi; answer Hi; turn-over Hi; run-over hi Hi";
    let compaction = r#"< {"type":"compaction","tokensBefore":1,"summary":"s"}"#;
    assert_clean(
        "pi@0.14",
        &[&format!("{typeless}; > prompt p1 hi; {run}; {END}")],
    );
    assert_findings(
        "pi@0.14",
        &[
            (&format!("{typeless}; {run}; {END}"), &["run-has-prompt"]),
            (
                &format!("{typeless}; {compaction}; {END}"),
                &["compaction-asked"],
            ),
        ],
    );

    let typeless = r#"> {"id":"t","message":"hi"}; < {"type":"response","id":"t","command":"unknown","success":false,"error":"no type"}"#;
    let bash = |cancelled: bool| {
        let end = json!({ "type": "response", "id": "b", "command": "bash", "success": true,
            "data": { "output": "", "cancelled": cancelled, "truncated": false } });
        format!(r#"{typeless}; > {{"type":"bash","id":"b","command":"ls"}}; < {end}; {END}"#)
    };
    let cancelled = bash(true);
    let ended = bash(false).replace(r#""cancelled""#, r#""exitCode":0,"cancelled""#);
    let prompted = format!("{typeless}; > prompt p1 hi; ok p1 prompt; {run}; {END}");
    assert_clean("pi@0.73", &[&prompted, &ended]);
    assert_findings(
        "pi@0.73",
        &[
            (
                &format!("{typeless}; {run}; {END}"),
                &["run-has-prompt", "prompt-response-first"],
            ),
            (&cancelled, &["bash-cancelled"]),
        ],
    );
}

#[test]
fn a_response_without_an_id_answers_no_other_command() {
    let bare = r#"> {"type":"abort_bash"}"#;
    let bare_answer = r#"< {"type":"response","command":"abort_bash","success":true}"#;
    let parse = r#"< {"type":"response","command":"parse","success":false,"error":"not JSON"}"#;
    let empty = r#"< {"type":"response","id":"","command":"abort_bash","success":true}"#;
    let asked = r#"> {"type":"abort_bash","id":"a"}"#;
    let asked_by_empty_id = r#"> {"type":"abort_bash","id":""}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_clean(
            dialect,
            &[
                &format!("{asked}; {bare}; {bare_answer}; ok a abort_bash; {END}"),
                &format!("{asked}; > no JSON; {parse}; ok a abort_bash; {END}"),
                &format!("{asked_by_empty_id}; {empty}; {END}"),
            ],
        );
        assert_findings(
            dialect,
            &[
                (
                    &format!("{asked}; {bare}; {bare_answer}; {END}"),
                    &["answered-before-exit"],
                ),
                (
                    &format!("{asked}; > no JSON; {parse}; {END}"),
                    &["answered-before-exit"],
                ),
                // The answer is there, but for its id.
                (&format!("{asked}; {bare_answer}; {END}"), &["id-echoed"]),
                (&format!("{asked}; {empty}; {END}"), &["id-echoed"]),
            ],
        );
    }
}

#[test]
fn each_command_without_an_id_has_a_response_of_its_own() {
    const LATE_END: &str = "25000000 stdin_closed; 25000000 end 0";
    let twice = |command: &str, answers: usize| {
        let text = if command == "bash" {
            "command"
        } else {
            "extra"
        };
        let asked = format!(r#"> {{"type":"{command}","{text}":"ls"}}; "#).repeat(2);
        let output = json!({ "output": "", "exitCode": 0, "cancelled": false, "truncated": false });
        let answer =
            json!({ "type": "response", "command": command, "success": true, "data": output });
        format!("{asked}{}", format!("< {answer}; ").repeat(answers))
    };
    let parse = r#"< {"type":"response","command":"parse","success":false,"error":"not JSON"}"#;
    let identified = format!(
        r#"> {{"type":"abort_bash"}}; > {{"type":"abort_bash","id":"a"}}; ok a abort_bash; {LATE_END}"#
    );
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_clean(
            dialect,
            &[
                &format!("{}{LATE_END}", twice("abort_bash", 2)),
                &format!("{}{END}", twice("abort_bash", 1)),
                &format!("{}{END}", twice("bash", 2)),
                &format!("> {{no JSON; > {{none; {parse}; {parse}; {END}"),
            ],
        );
        assert_findings(
            dialect,
            &[
                (
                    &format!("{}{LATE_END}", twice("abort_bash", 1)),
                    &["bare-answered"],
                ),
                (
                    &format!("{}end 0", twice("bash", 1)),
                    &["stays-alive", "bash-answered"],
                ),
                (&identified, &["bare-answered"]),
                (
                    &format!("> {{no JSON; > {{none; {parse}; {END}"),
                    &["malformed-answered"],
                ),
            ],
        );
    }
    let error = r#"< {"type":"error","error":"not JSON"}"#;
    let compaction = r#"< {"type":"compaction","tokensBefore":1,"summary":"s"}"#;
    let compact = r#"> {"type":"compact"}"#;
    assert_clean(
        "pi@0.14",
        &[
            &format!("> bash ls; > bash ls; bashed ls; bashed ls; {END}"),
            &format!("> bash ls; {error}; > bash ls; bashed ls; {END}"),
            &format!("{compact}; {compact}; {compaction}; {error}; {END}"),
        ],
    );
    assert_findings(
        "pi@0.14",
        &[
            (
                "> bash ls; > bash ls; bashed ls; end 0",
                &["stays-alive", "bash-answered"],
            ),
            (
                &format!("{compact}; {compact}; {compaction}; end 0"),
                &["stays-alive", "compact-answered"],
            ),
            (
                &format!("> {{no JSON; > {{none; {error}; {END}"),
                &["malformed-answered"],
            ),
        ],
    );
}

#[test]
fn of_two_prompts_that_wait_either_may_be_the_next() {
    let run = |text: &str| {
        format!(
            "run; turn; user-begins {text}; user {text}; begins; text Hi Hi; answer Hi; turn-over Hi; run-over {text} Hi"
        )
    };
    let swapped = format!(
        "> prompt p1 one; > prompt p2 two; ok p2 prompt; {}; ok p1 prompt; {}; {END}",
        run("two"),
        run("one")
    );
    let other_text = format!("> prompt p1 one; ok p1 prompt; {}; {END}", run("two"));
    assert_clean("pi@0.73", &[&swapped]);
    assert_findings("pi@0.73", &[(&other_text, &["own-prompt"])]);
}

#[test]
fn what_begins_after_the_end_of_stdin_may_be_broken_off() {
    let compaction = r#"< {"type":"compaction_start","reason":"manual"}; < {"type":"response","id":"c","command":"compact","success":false,"error":"aborted"}"#;
    let compact = r#"> {"type":"compact","id":"c"}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_clean(
            dialect,
            &[
                "> prompt p1 hi; stdin_closed; ok p1 prompt; run; turn; end 0",
                &format!("{compact}; stdin_closed; {compaction}; end 0"),
            ],
        );
        assert_findings(
            dialect,
            &[
                (
                    "> prompt p1 hi; ok p1 prompt; run; turn; end 0",
                    &["stays-alive", "run-envelope"],
                ),
                (
                    &format!("{compact}; {compaction}; end 0"),
                    &["stays-alive", "compaction-envelope"],
                ),
            ],
        );
    }
}

#[test]
fn every_message_that_was_queued_is_listed() {
    let queue = |texts: &[&str]| {
        format!(
            "< {}",
            json!({ "type": "queue_update", "steering": texts, "followUp": [] })
        )
    };
    let session = |second: &str| {
        format!(
            "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; begins; text Hi Hi; \
             > steer s1 one; {}; ok s1 steer; > steer s2 two; {second}; ok s2 steer; answer Hi; turn-over Hi",
            queue(&["one"])
        )
    };
    let delivered = |text: &str| {
        let messages = ["hi", text].map(|text| [user_message(text), text_message("Hi")]);
        let end = json!({ "type": "agent_end", "messages": messages.concat() });
        format!(
            "turn; user-begins {text}; user {text}; begins; text Hi Hi; answer Hi; turn-over Hi; < {end}; {END}"
        )
    };
    let one_is_listed = session(&queue(&["one"]));
    assert_clean(
        "pi@0.73",
        &[
            &format!("{}; {}", session(&queue(&["one", "two"])), delivered("two")),
            // An extension may take the second one.
            &format!("{one_is_listed}; {}", delivered("one")),
            &format!("{one_is_listed}; run-over hi Hi; {END}"),
        ],
    );
    assert_findings(
        "pi@0.73",
        &[(
            &format!("{one_is_listed}; {}", delivered("two")),
            &["queued-before-response"],
        )],
    );
}

#[test]
fn a_command_that_is_built_in_has_no_path() {
    let commands = |source: &str, path: &str| {
        let info =
            json!({ "path": path, "source": source, "scope": "temporary", "origin": "top-level" });
        let data = json!({ "commands": [{ "name": "mcp", "description": "d", "source": "extension", "sourceInfo": info }] });
        format!(
            r#"> {{"type":"get_commands","id":"c"}}; {}; {END}"#,
            success("c", "get_commands", &data)
        )
    };
    assert_clean(
        "pi@0.87",
        &[
            &commands("builtin", "builtin:mcp"),
            &commands("local", "/home/me/mcp.js"),
        ],
    );
    assert_findings(
        "pi@0.87",
        &[(&commands("local", "mcp.js"), &["command-paths"])],
    );
}

#[test]
fn the_user_message_may_come_before_the_turn() {
    let early = "> prompt p1 hi; ok p1 prompt; run; user-begins hi; user hi; turn; begins; text Hi Hi; answer Hi; turn-over Hi; run-over hi Hi";
    let outside = "> prompt p1 hi; ok p1 prompt; run; user-begins hi; user hi; begins; turn; text Hi Hi; answer Hi; turn-over Hi; run-over hi Hi";
    assert_clean("pi@0.73", &[&format!("{early}; {END}")]);
    assert_findings(
        "pi@0.73",
        &[(&format!("{outside}; {END}"), &["message-in-turn"])],
    );
}

#[test]
fn a_text_may_come_as_one_delta_without_start_and_end() {
    let whole = "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; begins; text Hello Hello; answer Hello; turn-over Hello; run-over hi Hello";
    let pieces = "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; begins; text Hel Hel; text lo Hello; answer Hello; turn-over Hello; run-over hi Hello";
    let lost = pieces.replace("text lo Hello; ", "");
    let stale = pieces.replace("text lo Hello", "text lo lo");
    assert_clean(
        "pi@0.73",
        &[&format!("{whole}; {END}"), &format!("{pieces}; {END}")],
    );
    assert_findings(
        "pi@0.73",
        &[
            (&format!("{lost}; {END}"), &["deltas-in-message"]),
            (&format!("{stale}; {END}"), &["partial-grows"]),
        ],
    );
}

#[test]
fn a_tool_may_start_when_its_call_is_complete() {
    let rest = "tool-over; result-begins; result; tools-over; turn; begins; text Hi Hi; answer Hi; turn-over Hi; tools-run-over hi Hi";
    let head = "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; begins; call";
    let early = format!("{head}; called; tool c1; asks; progress a; progress ab; {rest}; {END}");
    let late = format!("{head}; called; asks; tool c1; {rest}; {END}");
    let too_early = format!("{head}; tool c1; called; asks; {rest}; {END}");
    let lost_progress =
        format!("{head}; called; asks; tool c1; progress a; progress b; {rest}; {END}");
    assert_clean("pi@0.73", &[&early, &late]);
    assert_findings(
        "pi@0.73",
        &[
            (&too_early, &["call-before-start"]),
            (&lost_progress, &["tool-update-accumulates"]),
        ],
    );
    assert_findings(
        "pi@0.14",
        &[(
            &format!("{head}; called; tool c1; asks; {rest}; {END}").replace("ok p1 prompt; ", ""),
            &["call-before-start"],
        )],
    );
}

/// A response to a command that succeeded, with data.
fn success(id: &str, command: &str, data: &Value) -> String {
    format!(
        "< {}",
        json!({ "type": "response", "id": id, "command": command, "success": true, "data": data })
    )
}

const HELLO_RUN: &str = "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; begins; text Hi Hi; answer Hi; turn-over Hi; run-over hi Hi";

#[test]
fn an_agent_that_was_started_with_a_session_holds_more_than_its_events_show() {
    let forks = json!({ "messages": [{ "entryId": "e1", "text": "earlier" }, { "entryId": "e2", "text": "hi" }] });
    let forks = success("f", "get_fork_messages", &forks);
    let last = success(
        "l",
        "get_last_assistant_text",
        &json!({ "text": "earlier" }),
    );
    let stats = json!({
        "sessionId": "s", "userMessages": 2, "assistantMessages": 2, "toolCalls": 0, "toolResults": 0, "totalMessages": 4,
        "tokens": { "input": 9, "output": 9, "cacheRead": 0, "cacheWrite": 0, "total": 18 }, "cost": 1,
    });
    let stats = success("s", "get_session_stats", &stats);
    let query = |id: &str, kind: &str| format!(r#"> {{"type":"{kind}","id":"{id}"}}"#);
    let session = format!(
        "{}; {last}; {HELLO_RUN}; {}; {forks}; {}; {stats}; {END}",
        query("l", "get_last_assistant_text"),
        query("f", "get_fork_messages"),
        query("s", "get_session_stats"),
    );
    for dialect in ["pi@0.73", "pi@0.87"] {
        let told = |flags: &[&str]| {
            let mut rules = rules_found_with(dialect, flags, &session);
            rules.retain(|rule| !rule.starts_with("schema/") && rule != "settles");
            rules
        };
        for flags in [
            &["pi", "--mode", "rpc", "--continue"][..],
            &["pi", "-c"],
            &["pi", "--session", "s.jsonl"],
            &["pi", "--session=s.jsonl"],
            &["pi", "--fork", "s"],
            &["pi", "-r"],
        ] {
            assert_eq!(told(flags), Vec::<String>::new(), "{dialect} {flags:?}");
        }
        for flags in [&["pi"][..], &["pi", "--session-dir", "sessions"]] {
            let expected = [
                "no-text-is-null",
                "fork-messages-told",
                "stats-count",
                "stats-tokens",
                "stats-cost",
            ];
            assert_eq!(told(flags), expected, "{dialect} {flags:?}");
        }
    }
}

#[test]
fn a_compaction_that_is_tried_again_is_part_of_the_attempt() {
    let failed = |why: &str| {
        let mut message = assistant_message(&json!([]), "error");
        message["errorMessage"] = json!(why);
        let end = json!({ "type": "message_end", "message": message });
        let turn = json!({ "type": "turn_end", "message": message, "toolResults": [] });
        let over =
            json!({ "type": "agent_end", "messages": [message], "willRetry": why == "overloaded" });
        format!("turn; begins; < {end}; < {turn}; < {over}")
    };
    let retry = json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 1, "errorMessage": "overloaded" });
    let retried = json!({ "type": "auto_retry_end", "success": true, "attempt": 1 });
    let compaction = |reason: &str, will_retry: bool| {
        let start = json!({ "type": "compaction_start", "reason": reason });
        let end = json!({
            "type": "compaction_end", "reason": reason, "aborted": false, "willRetry": will_retry,
            "result": { "summary": "s", "firstKeptEntryId": "e", "tokensBefore": 9, "estimatedTokensAfter": 1, "details": {} },
        });
        format!("< {start}; < {end}")
    };
    let session = |between: &str| {
        let overloaded = failed("overloaded");
        let overflow = failed("prompt is too long");
        format!(
            "> prompt p1 hi; ok p1 prompt; run; {overloaded}; < {retry}; run; {overflow}; {between}; run; turn; begins; text Hi Hi; answer Hi; turn-over Hi; < {retried}; run-over hi Hi; {END}"
        )
    };
    let retry_rules = |between: &str| {
        let mut rules = rules_found("pi@0.73", &session(between));
        rules.retain(|rule| rule.starts_with("retry") || rule.starts_with("compaction"));
        rules
    };
    assert_eq!(
        retry_rules(&compaction("overflow", true)),
        Vec::<String>::new()
    );
    assert_eq!(retry_rules(&compaction("threshold", false)), ["retry-ends"]);
}

#[test]
fn a_switch_counts_when_the_newest_command_for_it_was_answered() {
    let switch = |kind: &str, id: &str, on: bool| {
        format!("> {}", json!({ "type": kind, "id": id, "enabled": on }))
    };
    let ok = |kind: &str, id: &str| {
        format!(
            "< {}",
            json!({ "type": "response", "id": id, "command": kind, "success": true })
        )
    };
    let compaction = format!(
        "< {}; < {}",
        json!({ "type": "compaction_start", "reason": "threshold" }),
        json!({ "type": "compaction_end", "reason": "threshold", "aborted": true, "willRetry": false, "result": null }),
    );
    let retry = format!(
        "< {}; < {}",
        json!({ "type": "auto_retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 1, "errorMessage": "e" }),
        json!({ "type": "auto_retry_end", "success": false, "attempt": 1, "finalError": "e" }),
    );
    for (kind, event, rule) in [
        ("set_auto_compaction", &compaction, "compaction-off"),
        ("set_auto_retry", &retry, "retry-off"),
    ] {
        let (off, on) = (switch(kind, "a", false), switch(kind, "b", true));
        let (off_again, answer) = (switch(kind, "b", false), ok(kind, "a"));
        let second = ok(kind, "b");
        assert_clean(
            "pi@0.73",
            &[
                &format!("{off}; {on}; {answer}; {event}; {second}; {END}"),
                &format!("{off}; {event}; {answer}; {END}"),
                &format!("{off}; {answer}; {on}; {event}; {second}; {END}"),
            ],
        );
        assert_findings(
            "pi@0.73",
            &[
                (&format!("{off}; {answer}; {event}; {END}"), &[rule]),
                (
                    &format!("{off}; {answer}; {off_again}; {second}; {event}; {END}"),
                    &[rule],
                ),
            ],
        );
    }
}

/// A retry is a run without a prompt of its own, and the runs of later prompts are judged as before.
#[test]
fn a_run_before_its_response_is_also_found_after_a_retry() {
    let retry = r#"< {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":1,"errorMessage":"e"}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        let found = |second: &str| {
            let session = format!(
                "> prompt p1 hi; ok p1 prompt; run; {retry}; run; > prompt p2 ho; {second}"
            );
            let rules = rules_found(dialect, &session);
            rules.contains(&"prompt-response-first".to_owned())
        };
        assert!(!found("ok p2 prompt; run"), "{dialect}");
        assert!(found("run; ok p2 prompt"), "{dialect}");
    }
}

/// An agent whose output is slow may ask the model again before it has told the answer before.
#[test]
fn each_answer_has_a_request_of_its_own() {
    for dialect in ["pi@0.14", "pi@0.73", "pi@0.87"] {
        let found = |second_request: &str| {
            let session = format!(
                "> prompt p1 hi; ok p1 prompt; run; turn; user-begins hi; user hi; request {{}}; reply 200; {second_request}; begins; asks; \
                 tool c1; tool-over; result-begins; result; tools-over; turn; begins; answer Hello; turn-over Hello; tools-run-over hi Hello"
            );
            rules_found(dialect, &session).contains(&"answer-asked".to_owned())
        };
        assert!(found(""), "{dialect}");
        assert!(!found("request {}; reply 200"), "{dialect}");
    }
}

/// What the page of each version allows is not accused, and a similar breach is.
#[test]
fn what_the_pages_allow_is_not_accused_and_a_similar_breach_is() {
    for (dialect, pairs) in [
        ("pi@0.14", include_str!("pi_rules/pairs_0.14.txt")),
        ("pi@0.73", include_str!("pi_rules/pairs_0.73.txt")),
        ("pi@0.87", include_str!("pi_rules/pairs_0.87.txt")),
        ("pi@1.6", include_str!("pi_rules/pairs_1.6.txt")),
    ] {
        crate::pairs::assert_pairs(dialect, pairs);
    }
}
