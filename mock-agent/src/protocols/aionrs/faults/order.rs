//! Events that are missing, repeated, or at the wrong time.

use crate::faults::{Bug, Fault, Op, bug, frame};

const END: &str =
    r#"{"type":"stream_end","msg_id":"$/msg_id","usage":{"input_tokens":0,"output_tokens":0}}"#;
const TEXT: &str = r#"{"type":"text_delta","text":"late","msg_id":"$/msg_id"}"#;

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-stream-start",
        "a turn has no `stream_start`",
        "stream_start",
        Op::Drop,
    )
    .caught_by(&["turn-envelope", "message-answered"]),
    frame(
        "two-stream-starts",
        "a turn has two `stream_start`",
        "stream_start",
        Op::Twice,
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "stream-start-late",
        "`stream_start` comes when the model has answered, not when it is asked",
        "stream_start",
        Op::Until(""),
    )
    .caught_by(&["scenario:turn/start-before-the-answer", "message-answered"]),
    frame(
        "text-before-turn",
        "a `text_delta` comes before the `stream_start` of its turn",
        "stream_start",
        Op::Before(TEXT),
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "no-stream-end",
        "a turn has no `stream_end`",
        "stream_end",
        Op::Drop,
    )
    .caught_by(&["turn-envelope", "stop-ends-turn", "scenario:turn/plain"]),
    frame(
        "turns-overlap",
        "`stream_end` comes behind the `stream_start` of the next turn",
        "stream_end",
        Op::Late("stream_start"),
    )
    .caught_by(&[
        "one-turn-at-a-time",
        "turn-envelope",
        "stop-ends-turn",
        "scenario:turn/two-messages-at-once",
    ]),
    frame(
        "two-stream-ends",
        "a turn has two `stream_end`",
        "stream_end",
        Op::Twice,
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "stream-end-early",
        "`stream_end` comes before the text",
        "text_delta",
        Op::Before(END),
    )
    .later()
    .caught_by(&["turn-envelope"]),
    frame(
        "text-after-end",
        "a `text_delta` comes behind the `stream_end` of its turn",
        "stream_end",
        Op::After(TEXT),
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "text-long-after-end",
        "a `text_delta` comes 100 ms behind the `stream_end` of its turn",
        "stream_end",
        Op::AfterWhile(100, TEXT),
    )
    .caught_by(&["turn-envelope"]),
    frame(
        "silence-in-turn",
        "no event comes any more, in the middle of a turn",
        "text_delta",
        Op::Silence,
    )
    .caught_by(&["turn-envelope", "scenario:turn/plain"]),
    bug(
        "second-turn-stuck",
        "no turn begins after the first",
        Bug::SecondTurnStuck,
    )
    .caught_by(&["message-answered", "scenario:turn/second-message"]),
    bug(
        "empty-answer-stuck",
        "a turn in which the model says nothing never ends",
        Bug::EmptyReplyStuck,
    )
    .caught_by(&["turn-envelope", "scenario:turn/empty-answer"]),
    bug(
        "drops-while-busy",
        "a message that comes during a turn is dropped and nothing is said",
        Bug::DropsWhileBusy,
    ),
    frame(
        "no-tool-request",
        "a call that waits for approval is not announced",
        "tool_request",
        Op::Drop,
    )
    .caught_by(&["scenario:approval/once-then-runs", "turn-envelope"]),
    frame(
        "two-tool-requests",
        "a call is announced twice",
        "tool_request",
        Op::Twice,
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "no-tool-running",
        "a tool runs without `tool_running`",
        "tool_running",
        Op::Drop,
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "no-tool-result",
        "a tool that has run has no `tool_result`",
        "tool_result",
        Op::Drop,
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "two-tool-results",
        "a tool that has run has two `tool_result`",
        "tool_result",
        Op::Twice,
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "result-before-running",
        "`tool_result` comes before `tool_running`",
        "tool_running",
        Op::Late("tool_result"),
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "result-after-end",
        "`tool_result` comes behind the `stream_end` of its turn",
        "tool_result",
        Op::Late("stream_end"),
    )
    .caught_by(&["turn-envelope", "tool-lifecycle"]),
];
