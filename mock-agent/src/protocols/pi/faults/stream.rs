//! The stream of an assistant message.

use super::{CALL_DELTA, CALL_END, CALL_START, TEXT_DELTA, TEXT_END, TEXT_START};
use crate::faults::{Fault, Op, frame, trim};

const DONE: super::When = &[("/assistantMessageEvent/type", "done")];
const THINKING_START: super::When = &[("/assistantMessageEvent/type", "thinking_start")];
const THINKING_DELTA: super::When = &[("/assistantMessageEvent/type", "thinking_delta")];
const THINKING_END: super::When = &[("/assistantMessageEvent/type", "thinking_end")];

/// A fault in every update of a kind.
const fn update(
    id: &'static str,
    summary: &'static str,
    kind: super::When,
    op: Op,
    caught_by: &'static [&'static str],
) -> Fault {
    frame(id, summary, "message_update", op)
        .when(kind)
        .caught_by(caught_by)
}

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    update("no-text-start", "a block of text has no start", TEXT_START, Op::Drop, &["scenario:run/blocks-are-opened-and-closed"]),
    update("two-text-starts", "a block of text has two starts", TEXT_START, Op::Twice, &["block-order"]),
    update("text-start-late", "the start of a block of text comes behind its first piece", TEXT_START, Op::Late("message_update"), &["block-order", "stream-shape"]),
    update("no-text-end", "a block of text has no end", TEXT_END, Op::Drop, &["scenario:run/blocks-are-opened-and-closed"]),
    update("two-text-ends", "a block of text has two ends", TEXT_END, Op::Twice, &["block-order"]),
    update("text-after-its-end", "a piece of text comes behind the end of its block", TEXT_END, Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"text_delta","contentIndex":"$/assistantMessageEvent/contentIndex","delta":"?","partial":"$/message"}}"#), &["block-order", "cut-keeps-text", "deltas-in-message"]),
    update("text-lost", "a piece of text is lost", TEXT_DELTA, Op::Drop, &["block-content", "scenario:run/text-arrives-as-it-is-made", "deltas-in-message"]),
    update("text-twice", "a piece of text comes twice", TEXT_DELTA, Op::Twice, &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).later(),
    update("text-is-trimmed", "every piece of text is without the blanks around it", TEXT_DELTA, Op::Change(|frame| trim(frame, "/assistantMessageEvent/delta")), &["block-content", "scenario:run/text-is-complete", "deltas-in-message", "partial-grows"]).every().later(),
    update("text-swapped", "two pieces of text come in the wrong order", TEXT_DELTA, Op::Late("message_update"), &["block-content", "block-order", "deltas-in-message", "partial-grows"]),
    update("equal-piece-lost", "a piece of text that is equal to the one before it is lost", &[("/assistantMessageEvent/type", "text_delta"), ("/assistantMessageEvent/delta", "ha")], Op::Drop, &["block-content", "blocks-in-message", "deltas-in-message"]).later(),
    update("text-garbled", "a piece of text is another than the model said", TEXT_DELTA, Op::Set("/assistantMessageEvent/delta", "\"?\""), &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).later(),
    update("cumulative-text", "every piece of text repeats all that was said before", TEXT_DELTA, Op::Cumulate(None, "/assistantMessageEvent/delta"), &["block-content", "cut-keeps-text", "deltas-in-message", "partial-grows"]).every().later(),
    update("text-end-differs", "the end of a block of text has another text than its pieces", TEXT_END, Op::Set("/assistantMessageEvent/content", "\"?\""), &["block-content", "blocks-in-message"]),
    update("thinking-end-differs", "the end of a block of reasoning has another text than its pieces", THINKING_END, Op::Set("/assistantMessageEvent/content", "\"?\""), &["block-content", "blocks-in-message"]),
    update("thinking-start-lost", "a block of reasoning has no start", THINKING_START, Op::Drop, &["scenario:run/thinking-blocks-are-opened-and-closed"]),
    update("thinking-lost", "reasoning does not stream", THINKING_DELTA, Op::Drop, &["scenario:run/thinking"]).every(),
    update("thinking-end-lost", "a block of reasoning has no end", THINKING_END, Op::Drop, &["scenario:run/thinking-blocks-are-opened-and-closed"]),
    update("thinking-is-text", "a piece of reasoning is told as text", THINKING_DELTA, Op::Set("/assistantMessageEvent/type", "\"text_delta\""), &["block-order", "block-content", "deltas-in-message"]),
    update("call-start-lost", "a tool call has no start", CALL_START, Op::Drop, &["scenario:tools/call-is-opened-and-closed"]),
    update("call-lost", "the arguments of a tool call do not stream", CALL_DELTA, Op::Drop, &["scenario:tools/call-streams-in"]).every(),
    update("call-piece-lost", "a piece of a tool call's arguments is lost", CALL_DELTA, Op::Drop, &["block-json"]),
    update("call-garbled", "the pieces of a tool call's arguments are another call's", CALL_DELTA, Op::Set("/assistantMessageEvent/delta", "\"{}\""), &["block-arguments", "block-json"]).later(),
    update("call-end-lost", "a tool call has no end", CALL_END, Op::Drop, &["scenario:tools/call-is-opened-and-closed"]),
    update("call-end-differs", "the end of a tool call has other arguments than its pieces", CALL_END, Op::Set("/assistantMessageEvent/toolCall/arguments", "{\"command\":\"rm -rf /\"}"), &["block-arguments", "blocks-in-message"]),
    update("call-end-of-another", "the end of a tool call has another id than the finished message", CALL_END, Op::Set("/assistantMessageEvent/toolCall/id", "\"other\""), &["blocks-in-message"]).later(),
    update("text-held-back", "text comes when its message ends, not as the model says it", TEXT_DELTA, Op::Until("message_end"), &["scenario:run/text-arrives-as-it-is-made", "block-order", "stream-shape"]).every(),
    update("index-too-high", "text has an index beyond the message's content", TEXT_START, Op::Set("/assistantMessageEvent/contentIndex", "7"), &["block-index"]).later(),
    frame("indices-start-at-one", "blocks are counted from 1", "message_update", Op::Change(|frame| {
        if let Some(n) = frame.pointer("/assistantMessageEvent/contentIndex").and_then(serde_json::Value::as_u64) {
            frame["assistantMessageEvent"]["contentIndex"] = serde_json::json!(n + 1);
        }
    })).every().caught_by(&["block-index"]),
    update("unknown-kind", "an update is of a kind that the page does not have", TEXT_START, Op::Set("/assistantMessageEvent/type", "\"text_begin\""), &["stream-kinds"]),
    update("start-comes-late", "the start of the stream comes behind its first block", &[("/assistantMessageEvent/type", "start")], Op::Late("message_update"), &["stream-shape"]),
    update("text-after-done", "a block begins behind the end of the stream", DONE, Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"text_start","contentIndex":9,"partial":"$/message"}}"#), &["stream-shape", "block-index"]),
    update("done-twice", "the stream ends twice", DONE, Op::Twice, &["stream-shape"]),
    update("done-reason-differs", "the stream ends for another reason than its message", DONE, Op::Set("/assistantMessageEvent/reason", "\"length\""), &["stream-end-reason"]),
    update("unknown-done-reason", "the stream is done for a reason that the page does not have", DONE, Op::Set("/assistantMessageEvent/reason", "\"end\""), &["schema/message_update.done", "stream-end-reason"]),
    frame("unknown-event", "an event is none of the page's", "agent_start", Op::After(r#"{"type":"heartbeat"}"#)).caught_by(&["unknown-event"]),
];
