//! What the tables share: versions, conditions on frames, lists of rules, and constructors of faults.

use crate::faults::{Fault, FaultEffect, Op, frame, joined, start};
use serde_json::Value;

/// Versions of the protocol.
pub(super) type Versions = &'static [&'static str];

pub(super) const V0_14: Versions = &["0.14"];
pub(super) const V0_73: Versions = &["0.73"];
pub(super) const V0_87: Versions = &["0.87"];
pub(super) const UNTIL_0_73: Versions = &["0.14", "0.73"];
pub(super) const SINCE_0_73: Versions = &["0.73", "0.87"];
pub(super) const ALL: Versions = &["0.14", "0.73", "0.87"];

/// Conditions on frames.
pub(super) type When = &'static [(&'static str, &'static str)];

pub(super) const USER: When = &[("/message/role", "user")];
pub(super) const ASSISTANT: When = &[("/message/role", "assistant")];
pub(super) const RESULT: When = &[("/message/role", "toolResult")];
pub(super) const TEXT_START: When = &[("/assistantMessageEvent/type", "text_start")];
pub(super) const TEXT_DELTA: When = &[("/assistantMessageEvent/type", "text_delta")];
pub(super) const TEXT_END: When = &[("/assistantMessageEvent/type", "text_end")];
pub(super) const CALL_START: When = &[("/assistantMessageEvent/type", "toolcall_start")];
pub(super) const CALL_DELTA: When = &[("/assistantMessageEvent/type", "toolcall_delta")];
pub(super) const CALL_END: When = &[("/assistantMessageEvent/type", "toolcall_end")];

/// What must catch a fault.
pub(super) type Rules = &'static [&'static str];

/// The rules on assistant messages and their content.
pub(super) const IN_ANSWERS: &[&str] = &[
    "schema/message_start",
    "schema/message_end",
    "schema/turn_end",
    "schema/agent_end",
    "schema/tool_execution_end",
    "schema/message_update",
    "schema/message_update.start",
    "schema/message_update.text_start",
    "schema/message_update.text_delta",
    "schema/message_update.text_end",
    "schema/message_update.thinking_start",
    "schema/message_update.thinking_delta",
    "schema/message_update.thinking_end",
    "schema/message_update.toolcall_start",
    "schema/message_update.toolcall_delta",
    "schema/message_update.toolcall_end",
    "schema/message_update.done",
    "schema/message_update.error",
];

/// The rules that compare the blocks of an answer with other frames.
const COMPARED: &[&str] = &[
    "blocks-in-message",
    "call-before-start",
    "block-arguments",
    "start-repeats-call",
    "own-prompt",
    "cut-keeps-text",
    "deltas-in-message",
    "partial-grows",
];

/// The rules on answers, and those that compare their blocks with other frames.
pub(super) const CASCADE: &[&str] =
    &joined::<{ IN_ANSWERS.len() + COMPARED.len() }>(&[IN_ANSWERS, COMPARED]);

/// The rules that the end of the process in a run breaks.
pub(super) const CRASH: Rules = &[
    "stays-alive",
    "run-envelope",
    "turn-shape",
    "message-envelope",
    "tool-lifecycle",
    "block-order",
    "abort-ends-run",
    "answered",
    "bare-answered",
    "prompt-answered",
    "no-orphans",
];

/// The rules on the content of messages in 0.73 and later.
pub(super) const CONTENT: Rules = &joined::<{ CASCADE.len() + 4 }>(&[
    CASCADE,
    &[
        "schema/tool_execution_update",
        "schema/response.get_messages",
        "tool-lifecycle",
        "result-repeats-content",
    ],
]);

/// The rules on the usage of a message.
pub(super) const USAGE: &[&str] = &[
    "scenario:usage/tokens-of-a-message",
    "schema/message_start",
    "schema/message_end",
    "schema/turn_end",
    "schema/agent_end",
    "usage-as-finished",
    "usage-total",
];

/// The rules on the members of a usage and its total.
pub(super) const USAGE_SHAPE: &[&str] =
    &joined::<{ IN_ANSWERS.len() + 2 }>(&[IN_ANSWERS, &["usage-as-finished", "usage-total"]]);

/// A fault in a response.
pub(super) const fn response(
    id: &'static str,
    summary: &'static str,
    when: When,
    op: Op,
    rules: Rules,
) -> Fault {
    frame(id, summary, "response", op)
        .when(when)
        .at_start()
        .caught_by(rules)
}

/// A fault in an event.
pub(super) const fn event(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    op: Op,
    rules: Rules,
) -> Fault {
    frame(id, summary, on, op).caught_by(rules)
}

/// A fault that changes commands before they are handled.
pub(super) const fn changed_command(
    id: &'static str,
    summary: &'static str,
    change: fn(&mut Value),
    rules: Rules,
) -> Fault {
    start(id, summary, FaultEffect::Command(change)).caught_by(rules)
}

/// Removes a member from commands of this type.
pub(super) fn remove_member(command: &mut Value, kind: &str, member: &str) {
    if command["type"] == kind
        && let Some(map) = command.as_object_mut()
    {
        map.shift_remove(member);
    }
}

/// Duplicates every element of a list.
pub(super) fn duplicate_elements(frame: &mut Value, pointer: &str) {
    if let Some(Value::Array(items)) = frame.pointer_mut(pointer) {
        *items = items
            .iter()
            .flat_map(|item| [item.clone(), item.clone()])
            .collect();
    }
}
