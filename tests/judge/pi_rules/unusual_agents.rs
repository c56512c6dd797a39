//! Agents of pi that are right and were accused: what is read late, taken by an extension, or told in messages of other roles.

use super::*;

const VERSIONS: [&str; 3] = ["pi@0.73", "pi@0.87", "pi@1.6"];

/// A response, which says since 1.6 what became of the message.
fn taken(dialect: &str, id: &str, command: &str, disposition: &str) -> String {
    let mut response = json!({ "type": "response", "id": id, "command": command, "success": true });
    if dialect == "pi@1.6" {
        response["data"] = json!({ "disposition": disposition });
    }
    format!("< {response}")
}

/// The end of a session's work, which versions since 0.87 tell.
fn settled(dialect: &str) -> &str {
    match dialect {
        "pi@0.73" => "",
        "pi@0.87" => r#"< {"type":"agent_settled"}"#,
        _ => r#"< {"type":"agent_settled","aborted":false}"#,
    }
}

fn turn(text: &str, answer: &str) -> String {
    format!("turn; user-begins {text}; user {text}; begins; answer {answer}; turn-over {answer}")
}

fn run(text: &str, answer: &str) -> String {
    let over = over(&[user_message(text), text_message(answer)]);
    format!("run; {}; {over}", turn(text, answer))
}

fn over(messages: &[Value]) -> String {
    format!(
        "< {}",
        json!({ "type": "agent_end", "messages": messages, "willRetry": false })
    )
}

/// A message of a role, as its two events.
fn told(message: &Value) -> String {
    let event = |kind: &str| format!("< {}", json!({ "type": kind, "message": message }));
    format!("{}; {}", event("message_start"), event("message_end"))
}

#[test]
fn the_second_of_two_prompts_may_be_read_when_the_first_has_settled() {
    for dialect in ["pi@0.87", "pi@1.6"] {
        let first = taken(dialect, "p1", "prompt", "started");
        let second = taken(dialect, "p2", "prompt", "started");
        let settled = settled(dialect);
        let (hi, ho) = (run("hi", "Hi"), run("ho", "Ho"));
        let both = r#"> prompt p1 hi; > {"type":"prompt","id":"p2","message":"ho","streamingBehavior":"followUp"}"#;
        assert_clean(
            dialect,
            &[
                &format!("{both}; {first}; {hi}; {settled}; {second}; {ho}; {settled}; {END}"),
                &format!("{both}; {first}; {hi}; {settled}; {ho}; {second}; {settled}; {END}"),
            ],
        );
        let alone = format!("> prompt p1 hi; {first}; {hi}; {settled}; {ho}; {settled}; {END}");
        let found = rules_found(dialect, &alone);
        assert!(found.contains(&"settled-is-last".to_owned()), "{found:?}");
    }
}

#[test]
fn messages_of_other_roles_may_come_at_any_place() {
    let custom = json!({ "role": "custom", "customType": "x", "content": "a note", "display": true, "timestamp": 1_764_547_200_000_u64 });
    let system = json!({ "role": "system", "content": "", "sections": { "preamble": "Be brief." }, "timestamp": 1_764_547_200_000_u64 });
    for dialect in VERSIONS {
        let session = |run: &str| {
            let accepted = taken(dialect, "p1", "prompt", "started");
            format!(
                "> prompt p1 hi; {accepted}; {run}; {}; {END}",
                settled(dialect)
            )
        };
        let whole = run("hi", "Hi");
        for message in [&custom, &system] {
            let told = told(message);
            let everywhere = whole.replace("; ", &format!("; {told}; "));
            assert_clean(
                dialect,
                &[&session(&format!("{told}; {everywhere}; {told}"))],
            );
        }
        // The answer is another matter.
        let without_answer = format!("run; {}; {}", turn("hi", "Hi"), over(&[user_message("hi")]));
        assert_findings(dialect, &[(&session(&without_answer), &["run-messages"])]);
    }
}

#[test]
fn the_answer_to_a_compaction_may_come_after_the_next_request() {
    let request = |messages: &[(&str, &str)]| {
        let messages: Vec<Value> = messages
            .iter()
            .map(|(role, text)| json!({ "role": role, "content": [{ "type": "text", "text": text }] }))
            .collect();
        let body = json!({ "system": "s", "tools": [{ "name": "bash" }], "messages": messages });
        format!("request {body}")
    };
    let reply = |text: &str| format!("reply 200 {}", json!([{ "text": text }]));
    let asked = |run: &str, request: &str, answer: &str| {
        run.replacen(
            "begins; answer",
            &format!("{request}; {}; begins; answer", reply(answer)),
            1,
        )
    };
    let result = json!({ "summary": "birds", "firstKeptEntryId": "e", "tokensBefore": 9, "estimatedTokensAfter": 1, "details": {} });
    for dialect in VERSIONS {
        let settled = settled(dialect);
        let accepted = |id: &str| taken(dialect, id, "prompt", "started");
        let first = asked(
            &run("herons", "Waders"),
            &request(&[("user", "herons")]),
            "Waders",
        );
        let next = request(&[("user", "birds"), ("user", "gulls")]);
        let second = asked(&run("gulls", "Seabirds"), &next, "Seabirds");
        let compaction = [
            json!({ "type": "compaction_start", "reason": "manual" }),
            json!({ "type": "compaction_end", "reason": "manual", "aborted": false, "willRetry": false, "result": result }),
        ]
        .map(|event| format!("< {event}"))
        .join("; ");
        let answer = success("c", "compact", &result);
        let begin = format!("> prompt p1 herons; {}; {first}; {settled}", accepted("p1"));
        let late = second.replacen(&next, &format!("{next}; 60000 {answer}"), 1);
        let found = |session: &str| {
            let found = rules_found(dialect, &format!("{begin}; {session}; {settled}; {END}"));
            found.contains(&"earlier-kept".to_owned())
        };
        let compact = r#"> {"type":"compact","id":"c"}"#;
        let prompt = format!("> prompt p2 gulls; {}", accepted("p2"));
        assert!(!found(&format!(
            "{compact}; {compaction}; {answer}; {prompt}; {second}"
        )));
        assert!(!found(&format!(
            "{compact}; {compaction}; {prompt}; {late}"
        )));
        assert!(found(&format!("{prompt}; {second}")), "{dialect}");
    }
}

#[test]
fn a_message_that_an_extension_took_was_never_queued() {
    let steer = |disposition: &str, then: &str| {
        let first = taken("pi@1.6", "p1", "prompt", "started");
        let answer = taken("pi@1.6", "s1", "steer", disposition);
        let turn = turn("hi", "Hi");
        let (begin, end) = turn.split_once("begins; answer").unwrap();
        format!(
            "> prompt p1 hi; {first}; run; {begin}begins; > steer s1 note; {answer}; answer{end}; {then}; {}; {END}",
            settled("pi@1.6")
        )
    };
    let alone = over(&[user_message("hi"), text_message("Hi")]);
    let messages = [("hi", "Hi"), ("note", "Noted")]
        .map(|(text, answer)| [user_message(text), text_message(answer)]);
    let delivered = format!("{}; {}", turn("note", "Noted"), over(&messages.concat()));
    assert_clean("pi@1.6", &[&steer("handled", &alone)]);
    assert_findings(
        "pi@1.6",
        &[(&steer("queued", &delivered), &["queued-before-response"])],
    );
}

#[test]
fn a_prompt_that_an_extension_took_has_no_run() {
    let prompt = |disposition: &str| {
        let answer = taken("pi@1.6", "p1", "prompt", disposition);
        format!("> prompt p1 hi; {answer}; 99000000 stdin_closed; end 0")
    };
    assert_clean("pi@1.6", &[&prompt("handled")]);
    assert_findings("pi@1.6", &[(&prompt("started"), &["prompt-answered"])]);
}

/// The frames of a call of a tool, by another tool or by none.
fn call_of(id: &str, parent: Option<&str>) -> [String; 2] {
    let start = json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": "bash", "args": { "command": "ls" } });
    let end = json!({
        "type": "tool_execution_end", "toolCallId": id, "toolName": "bash", "result": { "content": [{ "type": "text", "text": "r" }] }, "isError": false, "durationMs": 3,
    });
    [start, end].map(|mut event| {
        if let Some(parent) = parent {
            event["parentToolCallId"] = parent.into();
        }
        format!("< {event}")
    })
}

#[test]
fn a_tool_may_call_others_inside_of_its_own_call() {
    let session = |inside: &[String], recorded: &[&str]| {
        let calls: Vec<Value> = recorded
            .iter()
            .map(|id| json!({ "id": id, "name": "bash", "status": "ok", "arguments": { "command": "ls" } }))
            .collect();
        let mut result = tool_result_message();
        if !calls.is_empty() {
            result["nestedCalls"] = json!({ "calls": calls, "complete": true });
        }
        let [start, end] = call_of("c1", None);
        let turn_over =
            json!({ "type": "turn_end", "message": tool_call_message(), "toolResults": [result] });
        let messages = [
            user_message("hi"),
            tool_call_message(),
            result.clone(),
            text_message("Hi"),
        ];
        format!(
            "> prompt p1 hi; {}; run; turn; user-begins hi; user hi; begins; asks; {start}; {}; {end}; {}; < {turn_over}; \
             turn; begins; answer Hi; turn-over Hi; {}; {}; {END}",
            taken("pi@1.6", "p1", "prompt", "started"),
            inside.join("; "),
            told(&result),
            over(&messages),
            settled("pi@1.6"),
        )
    };
    let [first, first_over] = call_of("c1/1", Some("c1"));
    let [second, second_over] = call_of("c1/2", Some("c1"));
    let beside = [first.clone(), second, second_over, first_over];
    assert_clean("pi@1.6", &[&session(&beside, &["c1/1", "c1/2"])]);
    let alone = call_of("c9", None);
    assert_findings(
        "pi@1.6",
        &[
            (
                &session(&alone, &[]),
                &["call-before-start", "tool-in-turn"],
            ),
            (&session(&[first], &["c1/1"]), &["nested-lifecycle"]),
        ],
    );
}
