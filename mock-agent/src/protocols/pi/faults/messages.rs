//! Messages that do not start or end, or whose parts differ from each other.

use super::common::{ASSISTANT, SINCE_0_73, TEXT_DELTA, UNTIL_0_73, USER, V0_14};
use crate::faults::{Fault, Op, frame};

const DELTA: &str = r#"{"type":"message_update","message":"$/message","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":"$/message"}}"#;
const LATE: &str = r#"{"type":"message_update","message":"$/messages/1","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":"$/messages/1"}}"#;

/// A cost of zero.
const FREE: &str = r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}"#;

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "costs-are-zero",
        "no message costs anything, though its model does",
        "",
        Op::SetIn(("role", "assistant"), "/usage/cost", FREE),
    )
    .every()
    .at_start()
    .later()
    .caught_by(&["scenario:usage/cost-at-the-rates"])
    .caught_in(
        SINCE_0_73,
        &[
            "cost-at-rates",
            "stats-cost",
            "scenario:session/stats",
            "scenario:session/stats-with-a-cache",
        ],
    ),
    frame(
        "long-text-cut",
        "a text of more than 65,536 characters ends there when its message ends",
        "message_end",
        Op::Change(|frame| {
            if let Some(serde_json::Value::String(text)) =
                frame.pointer_mut("/message/content/0/text")
                && let Some((end, _)) = text.char_indices().nth(65_536)
            {
                text.truncate(end);
            }
        }),
    )
    .when(ASSISTANT)
    .every()
    .later()
    .caught_by(&[
        "scenario:run/long-text",
        "blocks-in-message",
        "deltas-in-message",
        "turn-end-message",
        "run-messages",
    ]),
    frame(
        "no-message-start",
        "an assistant message has no `message_start`",
        "message_start",
        Op::Drop,
    )
    .when(ASSISTANT)
    .caught_by(&["message-envelope"]),
    frame(
        "two-message-starts",
        "an assistant message has two `message_start`",
        "message_start",
        Op::Twice,
    )
    .when(ASSISTANT)
    .caught_by(&["message-envelope"]),
    frame(
        "message-start-late",
        "`message_start` comes behind the first piece of its message",
        "message_start",
        Op::Late("message_update"),
    )
    .when(ASSISTANT)
    .caught_by(&["message-envelope"])
    .caught_in(SINCE_0_73, &["message-envelope", "block-order"]),
    frame(
        "no-message-end",
        "an assistant message has no `message_end`",
        "message_end",
        Op::Drop,
    )
    .when(ASSISTANT)
    .caught_by(&[
        "message-envelope",
        "turn-shape",
        "run-messages",
        "call-before-start",
        "deltas-in-message",
    ]),
    frame(
        "two-message-ends",
        "an assistant message has two `message_end`",
        "message_end",
        Op::Twice,
    )
    .when(ASSISTANT)
    .caught_by(&[
        "message-envelope",
        "turn-shape",
        "run-messages",
        "call-before-start",
    ]),
    frame(
        "message-end-early",
        "`message_end` comes before the last piece of its message",
        "message_update",
        Op::Late("message_end"),
    )
    .when(TEXT_DELTA)
    .caught_by(&[
        "message-envelope",
        "block-content",
        "deltas-in-message",
        "partial-grows",
    ]),
    frame(
        "update-of-user-message",
        "a user message has a `message_update`",
        "message_start",
        Op::After(DELTA),
    )
    .when(USER)
    .caught_by(&[
        "message-envelope",
        "schema/message_update",
        "schema/message_update.text_start",
    ]),
    frame(
        "update-after-message",
        "a `message_update` comes behind the `message_end` of its message",
        "message_end",
        Op::After(DELTA),
    )
    .when(ASSISTANT)
    .caught_by(&["message-envelope"])
    .only_in(UNTIL_0_73),
    frame(
        "update-after-run",
        "a `message_update` comes behind the `agent_end`",
        "agent_end",
        Op::After(LATE),
    )
    .caught_by(&["message-envelope"])
    .only_in(UNTIL_0_73),
    frame(
        "update-long-after-run",
        "a `message_update` comes 100 ms behind the `agent_end`",
        "agent_end",
        Op::AfterWhile(100, LATE),
    )
    .caught_by(&["message-envelope"])
    .only_in(UNTIL_0_73),
    frame(
        "message-after-run",
        "a message begins behind the `agent_end`",
        "agent_end",
        Op::After(r#"{"type":"message_start","message":"$/messages/0"}"#),
    )
    .caught_by(&["message-in-turn", "message-envelope"])
    .later()
    .only_in(UNTIL_0_73),
    // In 0.73, the user's message may come before its turn.
    frame(
        "user-message-before-turn",
        "the user message begins before its turn",
        "turn_start",
        Op::Late("message_start"),
    )
    .caught_by(&["message-in-turn"])
    .only_in(V0_14),
    frame(
        "user-message-alters",
        "the user message that ends is not the one that began",
        "message_start",
        Op::Set("/message/content", r#"[{"type":"text","text":"?"}]"#),
    )
    .when(USER)
    .later()
    .caught_by(&["same-message"]),
    frame(
        "finished-message-lacks-text",
        "the finished message lacks what its stream said",
        "",
        Op::SetIn(("stopReason", "stop"), "/content", "[]"),
    )
    .every()
    .later()
    .caught_by(&[
        "blocks-in-message",
        "block-index",
        "deltas-in-message",
        "partial-grows",
    ]),
];
