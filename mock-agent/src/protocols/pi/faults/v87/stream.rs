//! The stream of an assistant message, of which each update tells only what is new.

use super::super::v73::event;
use crate::faults::{Fault, Op};

const BEGUN: &[(&str, &str)] = &[("/assistantMessageEvent/type", "text_start")];
const DELTA: &[(&str, &str)] = &[("/assistantMessageEvent/type", "text_delta")];
const TEXT_END: &[(&str, &str)] = &[("/assistantMessageEvent/type", "text_end")];
const REASONING: &[(&str, &str)] = &[("/assistantMessageEvent/type", "thinking_start")];
const CALL: &[(&str, &str)] = &[("/assistantMessageEvent/type", "toolcall_start")];
const ARGUMENTS: &[(&str, &str)] = &[("/assistantMessageEvent/type", "toolcall_delta")];
const STOPPED: &[(&str, &str)] = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "stop"),
];
const FAILED: &[(&str, &str)] = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "error"),
];
const WHOLE: &str = r#"{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"pending","timestamp":1764547200000}"#;

/// An update that tells this.
macro_rules! update {
    ($event:literal) => {
        concat!(
            r#"{"type":"message_update","usage":{"input":0,"output":9999,"cacheRead":0,"cacheWrite":0,"totalTokens":9999,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent":"#,
            $event,
            "}"
        )
    };
}

const LATE: &str = update!(r#"{"type":"text_start","contentIndex":0}"#);

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    event("update-with-the-message", "an update has the message so far", "message_update", Op::Set("/message", WHOLE), &["schema/message_update"]).when(DELTA),
    event("update-with-a-partial", "an update has the partial message", "message_update", Op::Set("/assistantMessageEvent/partial", WHOLE), &["schema/message_update"]).when(DELTA),
    event("update-without-usage", "an update has no usage", "message_update", Op::Remove("/usage"), &["schema/message_update"]).when(DELTA),
    event("usage-without-total", "a usage has no total", "message_update", Op::Remove("/usage/totalTokens"), &["schema/message_update"]).when(DELTA),
    event("call-starts-without-its-name", "a tool call starts without its name", "message_update", Op::Remove("/assistantMessageEvent/toolName"), &["schema/message_update.toolcall_start"]).when(CALL),
    event("call-starts-as-another", "a tool call starts under another id", "message_update", Op::Set("/assistantMessageEvent/id", "\"other\""), &["same-call"]).when(CALL).later(),
    event("call-starts-as-another-tool", "a tool call starts as one of another tool", "message_update", Op::Set("/assistantMessageEvent/toolName", "\"read\""), &["same-tool"]).when(CALL).later(),
    event("usage-goes-down", "the tokens of a response become fewer", "message_update", Op::Set("/usage/output", "9999"), &["usage-grows"]).when(DELTA).later(),
    event("reasoning-starts-nowhere", "a block of reasoning has no place", "message_update", Op::Remove("/assistantMessageEvent/contentIndex"), &["schema/message_update.thinking_start", "block-order", "block-index"]).when(REASONING),
    event("arguments-without-a-piece", "a piece of a tool call's arguments is missing", "message_update", Op::Remove("/assistantMessageEvent/delta"), &["schema/message_update.toolcall_delta", "block-json", "block-arguments"]).when(ARGUMENTS),

    // the start and the end of the stream, which this agent does not pass on
    event("start-with-a-partial", "`start` has a partial message", "message_update", Op::Before(update!(r#"{"type":"start","partial":{}}"#)), &["schema/message_update.start", "schema/message_update", "usage-grows"]).when(BEGUN),
    event("done-without-message", "`done` has no message", "message_end", Op::Before(update!(r#"{"type":"done","reason":"stop"}"#)), &["schema/message_update.done", "usage-as-finished"]).when(STOPPED),
    event("error-kind-without-error", "the kind `error` has no message", "message_end", Op::Before(update!(r#"{"type":"error","reason":"error"}"#)), &["schema/message_update.error"]).when(FAILED),

    // updates where none may be
    event("update-after-message", "a message goes on behind its end", "message_end", Op::After(LATE), &["message-envelope", "block-order"]).when(STOPPED),
    event("update-after-run", "a `message_update` comes behind the `agent_end`", "agent_end", Op::After(LATE), &["message-envelope"]),
    event("update-long-after-run", "a `message_update` comes 100 ms behind the `agent_end`", "agent_end", Op::AfterWhile(100, LATE), &["message-envelope"]),
    event("text-after-abort", "the model goes on behind the end of an aborted run", "agent_end", Op::AfterWhile(50, LATE), &["message-envelope"]).when(&[("/messages/2/stopReason", "aborted")]),
    event("text-after-its-end", "a piece of text comes behind the end of its block", "message_update", Op::After(update!(r#"{"type":"text_delta","contentIndex":0,"delta":"?"}"#)), &["block-order", "usage-grows", "cut-keeps-text", "deltas-in-message", "usage-as-finished"]).when(TEXT_END),
];
