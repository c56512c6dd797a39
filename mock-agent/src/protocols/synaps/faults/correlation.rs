//! Responses that are wrong, missing or repeated.

use super::conditions::{FOLLOW_UP, MESSAGES, PROMPT, STATE, STATS};
use crate::faults::{Fault, FaultEffect, Op, frame, start};
use serde_json::{Value, json};

const fn response(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "response", op).when(STATE).at_start()
}

pub(super) const FAULTS: &[Fault] = &[
    response(
        "response-of-another-command",
        "a response has an id that was never sent",
        Op::Set("/id", "\"ghost\""),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    response(
        "response-without-id",
        "a response has no id",
        Op::Remove("/id"),
    )
    .caught_by(&[
        "schema/response",
        "answered-before-exit",
        "answered-in-time",
    ]),
    response(
        "response-with-null-id",
        "the id of a response is null",
        Op::Set("/id", "null"),
    )
    .caught_by(&[
        "schema/response",
        "answered-before-exit",
        "answered-in-time",
    ]),
    response(
        "response-with-number-id",
        "the id of a response is a number",
        Op::Set("/id", "1"),
    )
    .caught_by(&[
        "schema/response",
        "answered-before-exit",
        "answered-in-time",
        "known-id",
        "response-command",
    ]),
    response(
        "response-with-empty-id",
        "the id of a response is empty",
        Op::Set("/id", "\"\""),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    start(
        "id-trimmed",
        "blanks around an id are dropped",
        FaultEffect::Command(|command| rewrite(command, |id| id.trim().to_owned())),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    start(
        "id-in-lower-case",
        "an id is echoed in lower case, and without what is not ASCII",
        FaultEffect::Command(|command| {
            rewrite(command, |id| {
                id.to_lowercase().replace(|c: char| !c.is_ascii(), "")
            });
        }),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    start(
        "id-as-a-number",
        "an id of digits is read as a number",
        FaultEffect::Command(|command| {
            rewrite(command, |id| {
                id.parse::<u64>()
                    .map_or_else(|_| id.to_owned(), |n| n.to_string())
            });
        }),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    start(
        "id-cut",
        "an id is cut after 64 characters",
        FaultEffect::Command(|command| rewrite(command, |id| id.chars().take(64).collect())),
    )
    .caught_by(&["known-id", "answered-before-exit", "answered-in-time"]),
    start(
        "empty-id-is-none",
        "a command with an empty id is refused",
        FaultEffect::Command(|command| {
            if command["id"] == "" {
                command["id"] = Value::Null;
            }
        }),
    )
    .caught_by(&["scenario:correlation/opaque-ids", "error-without-id"]),
    response("two-responses", "a command has two responses", Op::Twice)
        .caught_by(&["answered-once"]),
    frame(
        "two-responses-to-prompt",
        "a prompt has two responses",
        "response",
        Op::Twice,
    )
    .when(PROMPT)
    .caught_by(&["answered-once"]),
    response(
        "response-and-error",
        "a query is answered by a response, and then by an error",
        Op::After(r#"{"type":"error","id":"$/id","message":"Timed out"}"#),
    )
    .caught_by(&["answered-once"]),
    response("no-response", "`get_state` has no response", Op::Drop).caught_by(&[
        "answered-before-exit",
        "answered-in-time",
        "scenario:correlation/each-query-is-answered",
    ]),
    frame(
        "no-response-to-prompt",
        "a prompt has no response",
        "response",
        Op::Drop,
    )
    .when(PROMPT)
    .caught_by(&["answered-before-exit", "answered-in-time"]),
    frame(
        "no-response-to-follow-up",
        "a follow-up has no response",
        "response",
        Op::Drop,
    )
    .when(FOLLOW_UP)
    .caught_by(&[
        "scenario:session/follow-up-continues",
        "answered-before-exit",
        "answered-in-time",
    ]),
    frame(
        "response-that-nobody-asked-for",
        "a response comes without a command",
        "ready",
        Op::After(
            r#"{"type":"response","id":"ghost","command":"get_available_models","models":[]}"#,
        ),
    )
    .at_start()
    .caught_by(&["known-id", "models-listed"]),
    response(
        "response-of-another-name",
        "a response names another command than its own",
        Op::Set("/command", "\"get_messages\""),
    )
    .caught_by(&["response-command", "body-messages"]),
    response(
        "response-of-unknown-name",
        "a response names no command of the page",
        Op::Set("/command", "\"state\""),
    )
    .caught_by(&["response-command"]),
    frame(
        "follow-up-named-prompt",
        "the response to a follow-up says that it answers a prompt",
        "response",
        Op::Set("/command", "\"prompt\""),
    )
    .when(FOLLOW_UP)
    .caught_by(&["response-command"]),
    response(
        "response-without-command",
        "a response has no command",
        Op::Remove("/command"),
    )
    .caught_by(&["schema/response"]),
    response(
        "response-command-is-no-text",
        "the command of a response is a number",
        Op::Set("/command", "4"),
    )
    .caught_by(&["schema/response", "response-command"]),
    response(
        "nested-body",
        "the body of a response is nested",
        Op::Change(|frame| {
            if let Value::Object(frame) = frame {
                let own = |key: &str| matches!(key, "type" | "id" | "command");
                let body = frame.iter().filter(|(key, _)| !own(key));
                let body: Value = body
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect();
                frame.retain(|key, _| own(key));
                frame.insert("body".into(), body);
            }
        }),
    )
    .every()
    .caught_by(&["schema/response", "body-state"]),
    frame(
        "answers-swapped",
        "two answers have each other's id",
        "response",
        Op::Set("/id", "\"b4\""),
    )
    .when(MESSAGES)
    .at_start()
    .caught_by(&[
        "answered-once",
        "response-command",
        "answered-before-exit",
        "answered-in-time",
        "known-id",
    ]),
    frame(
        "answer-out-of-order",
        "an answer comes behind the next one",
        "response",
        Op::Late(""),
    )
    .when(STATS)
    .at_start(),
];

fn rewrite(command: &mut Value, change: impl Fn(&str) -> String) {
    if let Some(id) = command["id"].as_str().map(change) {
        command["id"] = json!(id);
    }
}
