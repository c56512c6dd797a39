//! Ids that are wrong, missing or unstable.

use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use serde_json::json;

const GHOST: &[&str] = &[
    r#"{"type":"stream_start","msg_id":"ghost"}"#,
    r#"{"type":"stream_end","msg_id":"ghost","usage":{"input_tokens":0,"output_tokens":0}}"#,
];

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "text-of-another-turn",
        "a `text_delta` has the msg_id of no turn",
        "text_delta",
        Op::Set("/msg_id", "\"other\""),
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "text-without-msg-id",
        "a `text_delta` has no msg_id",
        "text_delta",
        Op::Remove("/msg_id"),
    )
    .caught_by(&["schema/text_delta"]),
    frame(
        "text-with-null-msg-id",
        "the msg_id of a `text_delta` is null",
        "text_delta",
        Op::Set("/msg_id", "null"),
    )
    .caught_by(&["schema/text_delta"]),
    frame(
        "end-of-another-turn",
        "a `stream_end` has the msg_id of no turn",
        "stream_end",
        Op::Set("/msg_id", "\"other\""),
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "end-without-msg-id",
        "a `stream_end` has no msg_id",
        "stream_end",
        Op::Remove("/msg_id"),
    )
    .caught_by(&["schema/stream_end"]),
    frame(
        "start-without-msg-id",
        "a `stream_start` has no msg_id",
        "stream_start",
        Op::Remove("/msg_id"),
    )
    .caught_by(&["schema/stream_start", "turn-envelope"]),
    frame(
        "turn-that-nobody-asked-for",
        "a turn begins for a message that was never sent",
        "stream_end",
        Op::FramesAfter(GHOST),
    )
    .caught_by(&["turn-has-message"]),
    start(
        "msg-id-rewritten",
        "letters outside ASCII are dropped from the msg_id",
        FaultEffect::Command(|command| {
            if let Some(id) = command["msg_id"].as_str() {
                command["msg_id"] = json!(id.replace(|c: char| !c.is_ascii(), ""));
            }
        }),
    )
    .caught_by(&[
        "scenario:turn/opaque-message-id",
        "turn-has-message",
        "message-answered",
    ]),
    frame(
        "error-of-unknown-message",
        "a provider error names a message that was never sent",
        "error",
        Op::Set("/msg_id", "\"ghost\""),
    )
    .when(&[("/error/code", "provider_error")])
    .caught_by(&["error-msg-id"]),
    frame(
        "provider-error-without-msg-id",
        "a provider error in a turn names no message",
        "error",
        Op::Set("/msg_id", "null"),
    )
    .when(&[("/error/code", "provider_error")])
    .caught_by(&["turn-error-msg-id"]),
    frame(
        "protocol-error-with-msg-id",
        "the answer to a bad command names a message",
        "error",
        Op::Set("/msg_id", "\"m0\""),
    )
    .at_start()
    .when(&[("/error/code", "protocol_error")])
    .caught_by(&["protocol-error-no-message", "error-msg-id"]),
    frame(
        "empty-call-id",
        "the call_id of a request is empty",
        "tool_request",
        Op::Set("/call_id", "\"\""),
    )
    .caught_by(&["schema/tool_request"]),
    frame(
        "no-call-id",
        "a request has no call_id",
        "tool_request",
        Op::Remove("/call_id"),
    )
    .caught_by(&["schema/tool_request"]),
    frame(
        "running-of-another-call",
        "`tool_running` has another call_id than its request",
        "tool_running",
        Op::Set("/call_id", "\"other\""),
    )
    .later()
    .caught_by(&["tool-lifecycle", "asks-again", "asks-before-change"]),
    frame(
        "result-of-another-call",
        "`tool_result` has another call_id than its request",
        "tool_result",
        Op::Set("/call_id", "\"other\""),
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "cancelled-other-call",
        "`tool_cancelled` has another call_id than the denied call",
        "tool_cancelled",
        Op::Set("/call_id", "\"other\""),
    )
    .later()
    .caught_by(&["deny-cancels", "tool-lifecycle"]),
    bug(
        "call-ids-repeat",
        "the model's call ids are passed on although it repeats them",
        Bug::RepeatsCallIds,
    )
    .caught_by(&["call-id-unique"]),
    bug(
        "call-ids-begin-again",
        "the calls of each reply are numbered from the start again",
        Bug::CallIdsRestart,
    )
    .caught_by(&["call-id-own", "scenario:approval/once-is-once"]),
    frame(
        "running-of-another-tool",
        "`tool_running` names another tool than its request",
        "tool_running",
        Op::Set("/tool_name", "\"Other\""),
    )
    .caught_by(&["tool-name-agrees"]),
    frame(
        "result-of-another-tool",
        "`tool_result` names another tool than its request",
        "tool_result",
        Op::Set("/tool_name", "\"Other\""),
    )
    .caught_by(&["tool-name-agrees"]),
];
