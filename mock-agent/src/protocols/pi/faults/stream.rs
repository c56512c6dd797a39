//! The stream of an assistant message.

use super::common::{
    CALL_DELTA, CALL_END, CALL_START, SINCE_0_73, TEXT_DELTA, TEXT_END, TEXT_START, UNTIL_0_73,
    V0_14, V0_73, V0_87, When, event,
};
use crate::faults::{Fault, Op, frame, trim};

const DONE: When = &[("/assistantMessageEvent/type", "done")];
const THINKING_START: When = &[("/assistantMessageEvent/type", "thinking_start")];
const THINKING_DELTA: When = &[("/assistantMessageEvent/type", "thinking_delta")];
const THINKING_END: When = &[("/assistantMessageEvent/type", "thinking_end")];

/// A fault in every update of a kind.
const fn update(
    id: &'static str,
    summary: &'static str,
    kind: When,
    op: Op,
    caught_by: &'static [&'static str],
) -> Fault {
    frame(id, summary, "message_update", op)
        .when(kind)
        .caught_by(caught_by)
}

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    update("no-text-start", "a block of text has no start", TEXT_START, Op::Drop, &["scenario:run/blocks-are-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:run/blocks-are-opened-and-closed"]),
    update("two-text-starts", "a block of text has two starts", TEXT_START, Op::Twice, &["block-order"]),
    update("text-start-late", "the start of a block of text comes behind its first piece", TEXT_START, Op::Late("message_update"), &["block-order", "stream-shape"]),
    update("no-text-end", "a block of text has no end", TEXT_END, Op::Drop, &["scenario:run/blocks-are-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:run/blocks-are-opened-and-closed"]),
    update("two-text-ends", "a block of text has two ends", TEXT_END, Op::Twice, &["block-order"]),
    update("text-after-its-end", "a piece of text comes behind the end of its block", TEXT_END, Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"text_delta","contentIndex":"$/assistantMessageEvent/contentIndex","delta":"?","partial":"$/message"}}"#), &["block-order", "cut-keeps-text", "deltas-in-message"]).only_in(UNTIL_0_73),
    update("text-lost", "a piece of text is lost", TEXT_DELTA, Op::Drop, &["block-content", "scenario:run/text-arrives-as-it-is-made", "deltas-in-message"]),
    update("text-twice", "a piece of text comes twice", TEXT_DELTA, Op::Twice, &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).later(),
    update("text-is-trimmed", "every piece of text is without the blanks around it", TEXT_DELTA, Op::Change(|frame| trim(frame, "/assistantMessageEvent/delta")), &["block-content", "scenario:run/text-is-complete", "deltas-in-message", "partial-grows"]).every().later(),
    update("text-swapped", "two pieces of text come in the wrong order", TEXT_DELTA, Op::Late("message_update"), &["block-content", "block-order", "deltas-in-message", "partial-grows"]),
    update("equal-piece-lost", "a piece of text that is equal to the one before it is lost", &[("/assistantMessageEvent/type", "text_delta"), ("/assistantMessageEvent/delta", "ha")], Op::Drop, &["block-content", "blocks-in-message", "deltas-in-message"]).later(),
    update("text-garbled", "a piece of text is another than the model said", TEXT_DELTA, Op::Set("/assistantMessageEvent/delta", "\"?\""), &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).later(),
    update("cumulative-text", "every piece of text repeats all that was said before", TEXT_DELTA, Op::Cumulate(None, "/assistantMessageEvent/delta"), &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).every().later(),
    update("text-end-differs", "the end of a block of text has another text than its pieces", TEXT_END, Op::Set("/assistantMessageEvent/content", "\"?\""), &["block-content", "blocks-in-message"]),
    update("thinking-end-differs", "the end of a block of reasoning has another text than its pieces", THINKING_END, Op::Set("/assistantMessageEvent/content", "\"?\""), &["block-content", "blocks-in-message"]),
    update("thinking-start-lost", "a block of reasoning has no start", THINKING_START, Op::Drop, &["scenario:run/thinking-blocks-are-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:run/thinking-blocks-are-opened-and-closed"]),
    update("thinking-lost", "reasoning does not stream", THINKING_DELTA, Op::Drop, &["scenario:run/thinking"]).every(),
    update("thinking-end-lost", "a block of reasoning has no end", THINKING_END, Op::Drop, &["scenario:run/thinking-blocks-are-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:run/thinking-blocks-are-opened-and-closed"]),
    update("thinking-is-text", "a piece of reasoning is told as text", THINKING_DELTA, Op::Set("/assistantMessageEvent/type", "\"text_delta\""), &["block-order", "block-content", "deltas-in-message"]),
    update("call-start-lost", "a tool call has no start", CALL_START, Op::Drop, &["scenario:tools/call-is-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:tools/call-is-opened-and-closed"]),
    update("call-lost", "the arguments of a tool call do not stream", CALL_DELTA, Op::Drop, &["scenario:tools/call-streams-in"]).every(),
    update("call-piece-lost", "a piece of a tool call's arguments is lost", CALL_DELTA, Op::Drop, &["block-json"]),
    update("call-garbled", "the pieces of a tool call's arguments are another call's", CALL_DELTA, Op::Set("/assistantMessageEvent/delta", "\"{}\""), &["block-arguments", "block-json"]).later(),
    update("call-end-lost", "a tool call has no end", CALL_END, Op::Drop, &["scenario:tools/call-is-opened-and-closed"]).caught_in(SINCE_0_73, &["block-order", "scenario:tools/call-is-opened-and-closed"]),
    update("call-end-differs", "the end of a tool call has other arguments than its pieces", CALL_END, Op::Set("/assistantMessageEvent/toolCall/arguments", "{\"command\":\"rm -rf /\"}"), &["block-arguments", "blocks-in-message"]),
    update("call-end-of-another", "the end of a tool call has another id than the finished message", CALL_END, Op::Set("/assistantMessageEvent/toolCall/id", "\"other\""), &["blocks-in-message"]).later().caught_in(V0_87, &["blocks-in-message", "same-call"]),
    update("text-held-back", "text comes when its message ends, not as the model says it", TEXT_DELTA, Op::Until("message_end"), &["scenario:run/text-arrives-as-it-is-made", "block-order", "stream-shape"]).every(),
    update("index-too-high", "text has an index beyond the message's content", TEXT_START, Op::Set("/assistantMessageEvent/contentIndex", "7"), &["block-index"]).later().caught_in(SINCE_0_73, &["block-index", "block-order"]),
    frame("indices-start-at-one", "blocks are counted from 1", "message_update", Op::Change(|frame| {
        if let Some(n) = frame.pointer("/assistantMessageEvent/contentIndex").and_then(serde_json::Value::as_u64) {
            frame["assistantMessageEvent"]["contentIndex"] = serde_json::json!(n + 1);
        }
    })).every().caught_by(&["block-index"]),
    update("unknown-kind", "an update is of a kind that the page does not have", TEXT_START, Op::Set("/assistantMessageEvent/type", "\"text_begin\""), &["stream-kinds"]).caught_in(SINCE_0_73, &["stream-kinds", "block-order"]),
    update("start-comes-late", "the start of the stream comes behind its first block", &[("/assistantMessageEvent/type", "start")], Op::Late("message_update"), &["stream-shape"]).only_in(V0_14),
    update("text-after-done", "a block begins behind the end of the stream", DONE, Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"text_start","contentIndex":9,"partial":"$/message"}}"#), &["stream-shape", "block-index"]).only_in(V0_14),
    // 0.73 and later do not pass on the start and the end of the stream.
    update("done-twice", "the stream ends twice", DONE, Op::Twice, &["stream-shape"]).only_in(V0_14),
    update("done-reason-differs", "the stream ends for another reason than its message", DONE, Op::Set("/assistantMessageEvent/reason", "\"length\""), &["stream-end-reason"]).only_in(V0_14),
    update("unknown-done-reason", "the stream is done for a reason that the page does not have", DONE, Op::Set("/assistantMessageEvent/reason", "\"end\""), &["schema/message_update.done", "stream-end-reason"]).only_in(V0_14),
    frame("unknown-event", "an event is none of the page's", "agent_start", Op::After(r#"{"type":"heartbeat"}"#)).caught_by(&["unknown-event"]),
];

const STOPPED: When = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "stop"),
];
const FAILED: When = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "error"),
];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    // In 0.87, an update has no message.
    event("start-without-partial", "`start` has no partial message", "message_update", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"start"}}"#), &["schema/message_update.start"]).when(TEXT_START).only_in(V0_73),
    // The page of 0.87 does not say where a stream starts and ends, and for which reason.
    event("start-comes-late", "the start of the stream comes behind its first block", "message_update", Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"start","partial":"$/message"}}"#), &["stream-shape"]).when(TEXT_START).only_in(V0_73),
    event("text-after-done", "a block begins behind the end of the stream", "message_update", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"stop","message":"$/message"}}"#), &["stream-shape"]).when(TEXT_START).later().only_in(V0_73),
    event("done-without-message", "`done` has no message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"stop"}}"#), &["schema/message_update.done"]).when(STOPPED).only_in(V0_73),
    event("done-reason-differs", "the stream ends for another reason than its message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"length","message":"$/message"}}"#), &["stream-end-reason"]).when(STOPPED).only_in(V0_73),
    event("unknown-done-reason", "the stream is done for a reason that the page does not have", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"end","message":"$/message"}}"#), &["schema/message_update.done", "stream-end-reason"]).when(STOPPED).only_in(V0_73),
    event("error-kind-without-error", "the kind `error` has no message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"error","reason":"error"}}"#), &["schema/message_update.error"]).when(FAILED).only_in(V0_73),
];

const WHOLE: &str = r#"{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"pending","timestamp":1764547200000}"#;

/// A `message_update` with this event.
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
pub(super) const FAULTS_SINCE_0_87: &[Fault] = &[
    event("update-with-the-message", "an update has the message so far", "message_update", Op::Set("/message", WHOLE), &["schema/message_update"]).when(TEXT_DELTA),
    event("update-with-a-partial", "an update has the partial message", "message_update", Op::Set("/assistantMessageEvent/partial", WHOLE), &["schema/message_update"]).when(TEXT_DELTA),
    event("update-without-usage", "an update has no usage", "message_update", Op::Remove("/usage"), &["schema/message_update"]).when(TEXT_DELTA),
    event("usage-without-total", "a usage has no total", "message_update", Op::Remove("/usage/totalTokens"), &["schema/message_update"]).when(TEXT_DELTA),
    event("call-starts-without-its-name", "a tool call starts without its name", "message_update", Op::Remove("/assistantMessageEvent/toolName"), &["schema/message_update.toolcall_start"]).when(CALL_START),
    event("call-starts-as-another", "a tool call starts under another id", "message_update", Op::Set("/assistantMessageEvent/id", "\"other\""), &["same-call"]).when(CALL_START).later(),
    event("call-starts-as-another-tool", "a tool call starts as one of another tool", "message_update", Op::Set("/assistantMessageEvent/toolName", "\"read\""), &["same-tool"]).when(CALL_START).later(),
    event("usage-goes-down", "the tokens of a response become fewer", "message_update", Op::Set("/usage/output", "9999"), &["usage-grows"]).when(TEXT_DELTA).later(),
    event("reasoning-starts-nowhere", "a block of reasoning has no place", "message_update", Op::Remove("/assistantMessageEvent/contentIndex"), &["schema/message_update.thinking_start", "block-order", "block-index"]).when(THINKING_START),
    event("arguments-without-a-piece", "a piece of a tool call's arguments is missing", "message_update", Op::Remove("/assistantMessageEvent/delta"), &["schema/message_update.toolcall_delta", "block-json", "block-arguments"]).when(CALL_DELTA),

    // the start and the end of the stream, which this agent does not send
    event("start-with-a-partial", "`start` has a partial message", "message_update", Op::Before(update!(r#"{"type":"start","partial":{}}"#)), &["schema/message_update.start", "schema/message_update", "usage-grows"]).when(TEXT_START),
    event("done-without-message", "`done` has no message", "message_end", Op::Before(update!(r#"{"type":"done","reason":"stop"}"#)), &["schema/message_update.done", "usage-as-finished"]).when(STOPPED),
    event("error-kind-without-error", "the kind `error` has no message", "message_end", Op::Before(update!(r#"{"type":"error","reason":"error"}"#)), &["schema/message_update.error"]).when(FAILED),

    // updates where none is allowed
    event("update-after-message", "a message goes on behind its end", "message_end", Op::After(LATE), &["message-envelope", "block-order"]).when(STOPPED),
    event("update-after-run", "a `message_update` comes behind the `agent_end`", "agent_end", Op::After(LATE), &["message-envelope"]),
    event("update-long-after-run", "a `message_update` comes 100 ms behind the `agent_end`", "agent_end", Op::AfterWhile(100, LATE), &["message-envelope"]),
    event("text-after-abort", "the model goes on behind the end of an aborted run", "agent_end", Op::AfterWhile(50, LATE), &["message-envelope"]).when(&[("/messages/2/stopReason", "aborted")]),
    event("text-after-its-end", "a piece of text comes behind the end of its block", "message_update", Op::After(update!(r#"{"type":"text_delta","contentIndex":0,"delta":"?"}"#)), &["block-order", "usage-grows", "cut-keeps-text", "deltas-in-message", "usage-as-finished"]).when(TEXT_END),
];
