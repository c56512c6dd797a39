//! Updates whose members are missing or of the wrong type.

use super::conditions::{CALL, INPUT, PIECE, RESULT, TEXT, THINKING};
use crate::faults::{Fault, Op, frame};

type When = &'static [(&'static str, &'static str)];

const fn update(id: &'static str, summary: &'static str, kind: When, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(kind)
}

pub(super) const FAULTS: &[Fault] = &[
    update(
        "update-without-event",
        "a `message_update` has no event",
        TEXT,
        Op::Remove("/event"),
    )
    .caught_by(&["schema/message_update"]),
    update(
        "update-without-kind",
        "the event of a `message_update` has no type",
        TEXT,
        Op::Remove("/event/type"),
    )
    .caught_by(&["schema/message_update"]),
    update(
        "update-event-is-text",
        "the event of a `message_update` is text",
        TEXT,
        Op::Set("/event", "\"Hello\""),
    )
    .caught_by(&["schema/message_update"]),
    update(
        "text-without-delta",
        "a `text_delta` has no delta",
        TEXT,
        Op::Remove("/event/delta"),
    )
    .caught_by(&["schema/message_update.text_delta"]),
    update(
        "text-is-null",
        "the delta of a `text_delta` is null",
        TEXT,
        Op::Set("/event/delta", "null"),
    )
    .caught_by(&["schema/message_update.text_delta"]),
    update(
        "thinking-is-an-object",
        "the delta of a `thinking_delta` is an object",
        THINKING,
        Op::Set("/event/delta", r#"{"text":"hm"}"#),
    )
    .caught_by(&["schema/message_update.thinking_delta"]),
    update(
        "call-without-id",
        "a `toolcall_start` has no tool_id",
        CALL,
        Op::Remove("/event/tool_id"),
    )
    .caught_by(&["schema/message_update.toolcall_start", "toolcall-lifecycle"]),
    update(
        "call-without-name",
        "a `toolcall_start` has no tool_name",
        CALL,
        Op::Remove("/event/tool_name"),
    )
    .caught_by(&["schema/message_update.toolcall_start"]),
    update(
        "piece-without-delta",
        "a `toolcall_input_delta` has no delta",
        PIECE,
        Op::Remove("/event/delta"),
    )
    .caught_by(&[
        "schema/message_update.toolcall_input_delta",
        "toolcall-input-whole",
        "toolcall-input-json",
    ]),
    update(
        "input-without-input",
        "a `toolcall_input` has no input",
        INPUT,
        Op::Remove("/event/input"),
    )
    .caught_by(&["schema/message_update.toolcall_input"]),
    update(
        "result-is-an-object",
        "the result of a call is an object",
        RESULT,
        Op::Set("/event/result", r#"{"output":"x"}"#),
    )
    .caught_by(&["schema/message_update.toolcall_result"]),
    update(
        "result-without-result",
        "a `toolcall_result` has no result",
        RESULT,
        Op::Remove("/event/result"),
    )
    .caught_by(&["schema/message_update.toolcall_result"]),
];
