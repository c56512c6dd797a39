//! The stream of a turn.

use super::conditions::{TEXT, THINKING};
use crate::faults::{Bug, Fault, Op, bug, frame, trim};
use serde_json::{Value, json};

const LATE: &str = r#"{"type":"message_update","event":{"type":"text_delta","delta":"late"}}"#;

const fn text(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(TEXT)
}

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "text-outside-a-turn",
        "a `message_update` comes behind `ready`",
        "ready",
        Op::After(LATE),
    )
    .at_start()
    .caught_by(&["update-in-turn"]),
    frame(
        "text-after-end",
        "a `message_update` comes behind the end of its turn",
        "agent_end",
        Op::After(LATE),
    )
    .caught_by(&["update-in-turn", "state-streaming"]),
    frame(
        "text-long-after-end",
        "a `message_update` comes 100 ms behind the end of its turn",
        "agent_end",
        Op::AfterWhile(100, LATE),
    )
    .caught_by(&["update-in-turn", "state-streaming"]),
    frame(
        "text-after-response",
        "a `message_update` comes behind the end and the response of its turn",
        "response",
        Op::After(LATE),
    )
    .when(super::conditions::PROMPT)
    .caught_by(&["update-in-turn", "state-streaming"]),
    frame(
        "no-updates",
        "a turn has no `message_update`",
        "message_update",
        Op::Drop,
    )
    .every()
    .caught_by(&["update-before-end"]),
    text(
        "cumulative-text",
        "every `text_delta` repeats all that was said before",
        Op::Cumulate(None, "/event/delta"),
    )
    .every()
    .caught_by(&["scenario:prompt/text-is-not-cumulative"]),
    text(
        "text-held-back",
        "text comes when the turn ends, not as the model says it",
        Op::Until("agent_end"),
    )
    .every()
    .caught_by(&["scenario:prompt/text-arrives-as-it-is-made"]),
    text(
        "text-is-lost",
        "the first `text_delta` of a turn is lost",
        Op::Drop,
    )
    .caught_by(&["scenario:prompt/whole-text", "update-before-end"]),
    text(
        "text-is-trimmed",
        "every `text_delta` is without the blanks around it",
        Op::Change(|frame| trim(frame, "/event/delta")),
    )
    .every()
    .caught_by(&[
        "scenario:prompt/text-is-complete",
        "scenario:prompt/whole-text",
    ]),
    text(
        "text-is-cut",
        "a `text_delta` of more than 4 KiB is cut",
        Op::Change(|frame| cut(frame, 4096)),
    )
    .every()
    .caught_by(&["scenario:prompt/long-text"]),
    text(
        "text-beyond-64-kib-is-cut",
        "a `text_delta` of more than 64 KiB is cut",
        Op::Change(|frame| cut(frame, 65_536)),
    )
    .every()
    .caught_by(&["scenario:prompt/text-beyond-64-kib"]),
    text(
        "text-twice",
        "the first `text_delta` of a turn comes twice",
        Op::Twice,
    )
    .caught_by(&["scenario:prompt/text-is-not-cumulative"]),
    text(
        "text-out-of-order",
        "the first two `text_delta` of a turn have changed places",
        Op::Late("message_update"),
    )
    .caught_by(&["scenario:prompt/text-arrives-as-it-is-made"]),
    text(
        "text-is-garbled",
        "the text of a `text_delta` is another than the model said",
        Op::Set("/event/delta", "\"?\""),
    )
    .every()
    .caught_by(&["scenario:framing/unicode-both-ways"]),
    frame(
        "thinking-is-lost",
        "the model's thinking is not told",
        "message_update",
        Op::Drop,
    )
    .when(THINKING)
    .every()
    .caught_by(&["scenario:prompt/thinking"]),
    frame(
        "thinking-is-text",
        "the model's thinking is told as text",
        "message_update",
        Op::Set("/event/type", "\"text_delta\""),
    )
    .when(THINKING)
    .every()
    .caught_by(&[
        "scenario:prompt/thinking",
        "scenario:prompt/thinking-is-no-text",
    ]),
    text(
        "silence-in-turn",
        "no event comes any more, in the middle of a turn",
        Op::Silence,
    )
    .caught_by(&[
        "scenario:prompt/text-turn",
        "answered-before-exit",
        "answered-in-time",
        "abort-ends-turn",
        "shutdown-exits",
    ]),
    bug(
        "second-turn-stuck",
        "no turn begins after the first",
        Bug::SecondTurnStuck,
    )
    .caught_by(&["scenario:prompt/two-turns-one-conversation"]),
    bug(
        "empty-answer-stuck",
        "a turn in which the model says nothing never ends",
        Bug::EmptyReplyStuck,
    )
    .caught_by(&["scenario:prompt/empty-answer"]),
    frame(
        "text-before-a-call-is-lost",
        "what the model says in front of a call is not told",
        "message_update",
        Op::Drop,
    )
    .when(&[("/event/type", "text_delta"), ("/event/delta", "Let me ")])
    .caught_by(&["scenario:prompt/text-around-tools"]),
    frame(
        "text-that-repeats-is-lost",
        "a `text_delta` that is the same as the one before is dropped",
        "message_update",
        Op::Drop,
    )
    .when(&[("/event/type", "text_delta"), ("/event/delta", "ha")])
    .caught_by(&["scenario:prompt/repeated-pieces"]),
];

fn cut(frame: &mut Value, bytes: usize) {
    let text = frame["event"]["delta"].as_str().unwrap_or_default();
    if text.len() > bytes {
        let end = text.floor_char_boundary(bytes);
        frame["event"]["delta"] = json!(text[..end]);
    }
}
