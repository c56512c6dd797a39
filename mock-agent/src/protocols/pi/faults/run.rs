//! Runs and turns that do not start or end, or whose content is wrong.

use super::common::{ASSISTANT, SINCE_0_73, UNTIL_0_73, V0_14, V0_73, V0_87, event};
use crate::faults::{Bug, Fault, Op, bug, frame};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-agent-start",
        "a run has no `agent_start`",
        "agent_start",
        Op::Drop,
    )
    .caught_by(&["run-envelope", "prompt-answered"])
    .caught_in(V0_87, &["run-envelope", "prompt-answered", "settled-once"]),
    frame(
        "two-agent-starts",
        "a run has two `agent_start`",
        "agent_start",
        Op::Twice,
    )
    .caught_by(&["run-envelope", "run-has-prompt"])
    .caught_in(
        V0_73,
        &["run-envelope", "run-has-prompt", "prompt-response-first"],
    )
    .caught_in(
        V0_87,
        &[
            "run-envelope",
            "run-has-prompt",
            "prompt-response-first",
            "abort-waits",
        ],
    ),
    frame(
        "agent-start-late",
        "`agent_start` comes behind the `turn_start`",
        "agent_start",
        Op::Late("turn_start"),
    )
    .caught_by(&["run-envelope"]),
    frame(
        "run-without-prompt",
        "a run begins for a shell command",
        "bash_end",
        Op::After(r#"{"type":"agent_start"}"#),
    )
    .at_start()
    .caught_by(&["run-has-prompt", "run-open-at-end"])
    .only_in(V0_14),
    frame(
        "no-agent-end",
        "a run has no `agent_end`",
        "agent_end",
        Op::Drop,
    )
    .when(&[("/messages/1/stopReason", "stop")])
    .caught_by(&["run-ends"])
    .only_in(UNTIL_0_73)
    .caught_in(
        V0_73,
        &[
            "run-ends",
            "run-envelope",
            "scenario:startup/end-of-file-during-a-run",
        ],
    ),
    frame(
        "two-agent-ends",
        "a run has two `agent_end`",
        "agent_end",
        Op::Twice,
    )
    .caught_by(&["run-envelope"]),
    frame(
        "turn-end-after-run",
        "the last `turn_end` comes behind the `agent_end`",
        "turn_end",
        Op::Late("agent_end"),
    )
    .when(&[("/message/stopReason", "stop")])
    .caught_by(&["run-envelope"]),
    frame(
        "no-turn-start",
        "a turn has no `turn_start`",
        "turn_start",
        Op::Drop,
    )
    .caught_by(&["run-envelope", "message-in-turn"]),
    frame(
        "two-turn-starts",
        "a turn has two `turn_start`",
        "turn_start",
        Op::Twice,
    )
    .caught_by(&["run-envelope"]),
    frame(
        "no-turn-end",
        "a turn has no `turn_end`",
        "turn_end",
        Op::Drop,
    )
    .caught_by(&["run-envelope"])
    .caught_in(V0_87, &["run-envelope", "settled-outside-runs"]),
    frame(
        "two-turn-ends",
        "a turn has two `turn_end`",
        "turn_end",
        Op::Twice,
    )
    .caught_by(&["run-envelope"]),
    frame(
        "turn-without-run",
        "a turn begins behind the `agent_end`",
        "agent_end",
        Op::After(r#"{"type":"turn_start"}"#),
    )
    .caught_by(&["run-envelope"])
    .caught_in(V0_87, &["run-envelope", "settled-outside-runs"]),
    frame(
        "turn-long-after-run",
        "a turn begins 100 ms behind the `agent_end`",
        "agent_end",
        Op::AfterWhile(100, r#"{"type":"turn_start"}"#),
    )
    .caught_by(&["run-envelope"])
    .caught_in(V0_87, &["run-envelope", "settled-outside-runs"]),
    frame(
        "two-answers-in-turn",
        "a turn has two assistant messages",
        "message_end",
        Op::FramesAfter(&[
            r#"{"type":"message_start","message":"$/message"}"#,
            r#"{"type":"message_end","message":"$/message"}"#,
        ]),
    )
    .when(ASSISTANT)
    .caught_by(&["turn-shape", "run-messages"]),
    frame(
        "silence-in-run",
        "no event comes any more, in the middle of a run",
        "message_update",
        Op::Silence,
    )
    .caught_by(&[
        "scenario:run/order-of-events",
        "abort-ends-run",
        "prompt-answered",
        "run-open-at-end",
    ])
    .caught_in(
        SINCE_0_73,
        &[
            "scenario:run/order-of-events",
            "abort-ends-run",
            "prompt-answered",
            "run-open-at-end",
            "message-envelope",
            "run-envelope",
            "turn-shape",
        ],
    ),
    bug(
        "second-run-stuck",
        "no run begins after the first",
        Bug::SecondTurnStuck,
    )
    .caught_by(&["prompt-answered", "scenario:run/two-runs-one-conversation"]),
    // No scenario of 0.73 and later shows it.
    bug(
        "empty-answer-stuck",
        "a run in which the model says nothing never ends",
        Bug::EmptyReplyStuck,
    )
    .caught_by(&["scenario:run/empty-answer", "run-open-at-end"])
    .only_in(V0_14),
    // No scenario of 0.73 and later shows it.
    bug(
        "drops-while-busy",
        "a prompt that comes during a run is dropped and nothing is said",
        Bug::DropsWhileBusy,
    )
    .caught_by(&[
        "scenario:run/prompt-while-a-run-goes-on",
        "scenario:framing/two-prompts-in-one-write",
    ])
    .only_in(V0_14),
    frame(
        "turn-end-of-another",
        "the message of `turn_end` is not the turn's",
        "turn_end",
        Op::Set("/message/content", r#"[{"type":"text","text":"?"}]"#),
    )
    .caught_by(&["turn-end-message", "cut-keeps-text"]),
    frame(
        "turn-end-without-results",
        "`turn_end` leaves the tool results out",
        "turn_end",
        Op::Set("/toolResults", "[]"),
    )
    .when(&[("/message/stopReason", "toolUse")])
    .caught_by(&["turn-end-results"])
    .caught_in(SINCE_0_73, &["turn-end-results", "results-in-order"]),
    frame(
        "turn-end-with-half-the-results",
        "`turn_end` has only the first of two tool results",
        "turn_end",
        Op::Change(|frame| {
            if let Some(results) = frame["toolResults"].as_array_mut() {
                results.truncate(1);
            }
        }),
    )
    .every()
    .caught_by(&["turn-end-results"])
    .caught_in(SINCE_0_73, &["turn-end-results", "results-in-order"]),
    frame(
        "turn-end-result-altered",
        "a tool result in `turn_end` is not what its message said",
        "turn_end",
        Op::Set("/toolResults/0/content", "[]"),
    )
    .when(&[("/message/stopReason", "toolUse")])
    .caught_by(&["turn-end-results"])
    .caught_in(SINCE_0_73, &["turn-end-results", "results-in-order"]),
    frame(
        "agent-end-empty",
        "`agent_end` has no messages",
        "agent_end",
        Op::Set("/messages", "[]"),
    )
    .caught_by(&["run-messages"]),
    frame(
        "agent-end-lacks-last",
        "`agent_end` lacks the last message of the run",
        "agent_end",
        Op::Change(|frame| {
            if let Some(messages) = frame["messages"].as_array_mut() {
                messages.pop();
            }
        }),
    )
    .caught_by(&["run-messages"]),
    frame(
        "agent-end-reversed",
        "`agent_end` has the messages in another order",
        "agent_end",
        Op::Change(|frame| {
            if let Some(messages) = frame["messages"].as_array_mut() {
                messages.reverse();
            }
        }),
    )
    .caught_by(&["run-messages"]),
    frame(
        "agent-end-repeats",
        "`agent_end` has the run's last message twice",
        "agent_end",
        Op::Change(|frame| {
            if let Some(messages) = frame["messages"].as_array_mut() {
                messages.extend(messages.last().cloned());
            }
        }),
    )
    .caught_by(&["run-messages"]),
];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    event("event-with-id", "an event has an id", "agent_start", Op::Set("/id", "\"e1\""), &["event-without-id"]),
    event("ends-in-the-run", "the process ends when its stdin does, in the middle of a run", "message_update", Op::Exit(0), &["run-open-at-end", "scenario:startup/end-of-file-during-a-run"]).when(&[("/assistantMessageEvent/delta", "two"), ("/assistantMessageEvent/contentIndex", "1")]).later(),
    event("another-model-at-the-end", "a message ends as another model's", "message_end", Op::Set("/message/model", "\"stranger\""), &["same-speaker", "turn-end-message", "run-messages"]).when(&[("/message/role", "assistant")]),
    event("tool-works-after-its-end", "a tool tells of its progress when it is over", "tool_execution_update", Op::Late("tool_execution_end"), &["tool-lifecycle"]).later(),
    event("update-of-other-args", "the progress of a tool has other args", "tool_execution_update", Op::Set("/args", "{}"), &["tool-update-repeats-start"]),
    event("update-without-result", "the progress of a tool has no partial result", "tool_execution_update", Op::Remove("/partialResult"), &["schema/tool_execution_update"]),
    event("update-result-is-text", "the progress of a tool is a text", "tool_execution_update", Op::Set("/partialResult", "\"working\""), &["schema/tool_execution_update"]),
    event("update-without-content", "the progress of a tool has no content", "tool_execution_update", Op::Remove("/partialResult/content"), &["schema/tool_execution_update"]),
    event("updates-stay-empty", "the progress of a tool never has what it wrote", "tool_execution_update", Op::Set("/partialResult/content", "[]"), &["scenario:tools/progress-keeps-what-was-told", "scenario:tools/progress-is-told-at-work"]).every().later(),
    event("update-is-a-delta", "the progress of a tool is only what is new", "tool_execution_update", Op::Change(|frame| {
        let text = &mut frame["partialResult"]["content"][0]["text"];
        let last = text.as_str().and_then(|text| text.lines().last()).map(str::to_owned);
        if let Some(last) = last {
            *text = last.into();
        }
    }), &["tool-update-accumulates", "scenario:tools/progress-is-told-at-work"]).every().later(),
    event("failure-is-a-success", "the execution of a tool that failed is told as a success", "tool_execution_end", Op::Set("/isError", "false"), &["result-repeats-end"]).when(&[("/isError", "true")]).later(),
];
