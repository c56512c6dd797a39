//! Runs and turns that do not begin, do not end, or are not what they hold.

use super::ASSISTANT;
use crate::faults::{Bug, Fault, Op, bug, frame};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-agent-start",
        "a run has no `agent_start`",
        "agent_start",
        Op::Drop,
    )
    .caught_by(&["run-envelope", "prompt-answered"]),
    frame(
        "two-agent-starts",
        "a run has two `agent_start`",
        "agent_start",
        Op::Twice,
    )
    .caught_by(&["run-envelope", "run-has-prompt"]),
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
    .caught_by(&["run-has-prompt", "run-open-at-end"]),
    frame(
        "no-agent-end",
        "a run has no `agent_end`",
        "agent_end",
        Op::Drop,
    )
    .when(&[("/messages/1/stopReason", "stop")])
    .caught_by(&["run-ends"]),
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
    .caught_by(&["run-envelope"]),
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
    .caught_by(&["run-envelope"]),
    frame(
        "turn-long-after-run",
        "a turn begins 100 ms behind the `agent_end`",
        "agent_end",
        Op::AfterWhile(100, r#"{"type":"turn_start"}"#),
    )
    .caught_by(&["run-envelope"]),
    frame(
        "two-answers-in-turn",
        "a turn has two assistant messages",
        "message_end",
        Op::Behind(&[
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
    ]),
    bug(
        "second-run-stuck",
        "no run begins after the first",
        Bug::SecondTurnStuck,
    )
    .caught_by(&["prompt-answered", "scenario:run/two-runs-one-conversation"]),
    bug(
        "empty-answer-stuck",
        "a run in which the model says nothing never ends",
        Bug::EmptyReplyStuck,
    )
    .caught_by(&["scenario:run/empty-answer", "run-open-at-end"]),
    bug(
        "drops-while-busy",
        "a prompt that comes during a run is dropped and nothing is said",
        Bug::DropsWhileBusy,
    )
    .caught_by(&[
        "scenario:run/prompt-while-a-run-goes-on",
        "scenario:framing/two-prompts-in-one-write",
    ]),
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
    .caught_by(&["turn-end-results"]),
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
    .caught_by(&["turn-end-results"]),
    frame(
        "turn-end-result-altered",
        "a tool result in `turn_end` is not what its message said",
        "turn_end",
        Op::Set("/toolResults/0/content", "[]"),
    )
    .when(&[("/message/stopReason", "toolUse")])
    .caught_by(&["turn-end-results"]),
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
