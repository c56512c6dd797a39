//! The start and the end of a message's stream, which this agent does not pass on.

use super::{When, event};
use crate::faults::{Fault, Op};

const BEGUN: When = &[("/assistantMessageEvent/type", "text_start")];
const STOPPED: When = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "stop"),
];
const FAILED: When = &[
    ("/message/role", "assistant"),
    ("/message/stopReason", "error"),
];

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    event("start-without-partial", "`start` has no partial message", "message_update", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"start"}}"#), &["schema/message_update.start"]).when(BEGUN),
    event("start-comes-late", "the start of the stream comes behind its first block", "message_update", Op::After(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"start","partial":"$/message"}}"#), &["stream-shape"]).when(BEGUN),
    event("text-after-done", "a block begins behind the end of the stream", "message_update", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"stop","message":"$/message"}}"#), &["stream-shape"]).when(BEGUN).later(),
    event("done-without-message", "`done` has no message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"stop"}}"#), &["schema/message_update.done"]).when(STOPPED),
    event("done-reason-differs", "the stream ends for another reason than its message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"length","message":"$/message"}}"#), &["stream-end-reason"]).when(STOPPED),
    event("unknown-done-reason", "the stream is done for a reason that the page does not have", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"done","reason":"end","message":"$/message"}}"#), &["schema/message_update.done", "stream-end-reason"]).when(STOPPED),
    event("error-kind-without-error", "the kind `error` has no message", "message_end", Op::Before(r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"error","reason":"error"}}"#), &["schema/message_update.error"]).when(FAILED),
];
