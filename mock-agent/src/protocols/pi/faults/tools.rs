//! Tool calls that are reported wrongly or do not run.

use super::common::{RESULT, SINCE_0_73, V0_14};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

const START: &str = "tool_execution_start";
const END: &str = "tool_execution_end";

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-tool-start",
        "a tool runs without `tool_execution_start`",
        START,
        Op::Drop,
    )
    .caught_by(&["tool-lifecycle"])
    .caught_in(SINCE_0_73, &["tool-lifecycle", "run-envelope"]),
    frame("two-tool-starts", "a tool starts twice", START, Op::Twice)
        .caught_by(&["tool-lifecycle"]),
    frame(
        "no-tool-end",
        "a tool runs without `tool_execution_end`",
        END,
        Op::Drop,
    )
    .caught_by(&["tool-lifecycle"]),
    frame("two-tool-ends", "a tool ends twice", END, Op::Twice).caught_by(&["tool-lifecycle"]),
    frame(
        "tool-ends-before-start",
        "`tool_execution_end` comes before `tool_execution_start`",
        START,
        Op::Late(END),
    )
    .caught_by(&["tool-lifecycle"])
    .caught_in(SINCE_0_73, &["tool-lifecycle", "run-envelope"]),
    // In 0.73 and later, a tool may start before the message ends.
    frame(
        "tool-starts-before-message-ends",
        "`tool_execution_start` comes before the message with the call ends",
        "message_end",
        Op::Late(START),
    )
    .when(&[
        ("/message/role", "assistant"),
        ("/message/stopReason", "toolUse"),
    ])
    .caught_by(&["call-before-start"])
    .only_in(V0_14),
    frame(
        "tool-result-before-end",
        "the result message comes before `tool_execution_end`",
        END,
        Op::Late("message_end"),
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "no-result-message",
        "a tool that has run has no result message",
        "",
        Op::Drop,
    )
    .when(RESULT)
    .every()
    .caught_by(&[
        "tool-lifecycle",
        "tool-in-turn",
        "turn-end-results",
        "every-call-answered",
        "run-messages",
    ])
    .caught_in(
        SINCE_0_73,
        &[
            "tool-lifecycle",
            "tool-in-turn",
            "turn-end-results",
            "results-in-order",
            "every-call-answered",
            "run-messages",
        ],
    ),
    frame(
        "result-after-turn",
        "the result of a tool comes behind the turn",
        "",
        Op::Late("turn_end"),
    )
    .when(RESULT)
    .every()
    .caught_by(&[
        "tool-in-turn",
        "message-in-turn",
        "turn-end-results",
        "every-call-answered",
    ])
    .caught_in(
        SINCE_0_73,
        &[
            "tool-in-turn",
            "message-in-turn",
            "turn-end-results",
            "results-in-order",
            "every-call-answered",
        ],
    ),
    frame(
        "start-of-another-call",
        "`tool_execution_start` has an id that no call has",
        START,
        Op::Set("/toolCallId", "\"other\""),
    )
    .caught_by(&["call-before-start", "tool-lifecycle", "tool-in-turn"]),
    frame(
        "end-of-another-call",
        "`tool_execution_end` has an id that no call has",
        END,
        Op::Set("/toolCallId", "\"other\""),
    )
    .caught_by(&["tool-lifecycle"]),
    frame(
        "end-without-id",
        "`tool_execution_end` has the id null",
        END,
        Op::Set("/toolCallId", "null"),
    )
    .caught_by(&["schema/tool_execution_end", "tool-lifecycle"]),
    frame(
        "other-args",
        "`tool_execution_start` has other arguments than the call",
        START,
        Op::Set("/args", r#"{"command":"echo other"}"#),
    )
    .caught_by(&["start-repeats-call"])
    .caught_in(
        SINCE_0_73,
        &["start-repeats-call", "tool-update-repeats-start"],
    ),
    frame(
        "other-tool-starts",
        "`tool_execution_start` names another tool than the call",
        START,
        Op::Set("/toolName", "\"other\""),
    )
    .caught_by(&["start-repeats-call", "tool-end-name", "result-tool-name"])
    .caught_in(
        SINCE_0_73,
        &[
            "start-repeats-call",
            "tool-update-repeats-start",
            "tool-end-name",
            "result-tool-name",
        ],
    ),
    frame(
        "other-tool-ends",
        "`tool_execution_end` names another tool than its start",
        END,
        Op::Set("/toolName", "\"other\""),
    )
    .caught_by(&["tool-end-name"]),
    frame(
        "failure-is-a-success",
        "the execution of a tool that failed is told as a success",
        END,
        Op::Set("/isError", "false"),
    )
    .when(&[("/isError", "true")])
    .caught_by(&["result-repeats-end", "schema/tool_execution_end"])
    .only_in(V0_14),
    frame(
        "success-is-a-failure",
        "the execution of a tool that did its work is told as a failure",
        END,
        Op::Set("/isError", "true"),
    )
    .when(&[("/isError", "false")])
    .later()
    .caught_by(&["result-repeats-end"]),
    frame(
        "failures-are-successes",
        "every tool that failed is told as a success",
        "",
        Op::Change(|frame| {
            fn set_success(value: &mut serde_json::Value) {
                match value {
                    serde_json::Value::Array(items) => items.iter_mut().for_each(set_success),
                    serde_json::Value::Object(map) => {
                        map.values_mut().for_each(set_success);
                        if let Some(flag) = map.get_mut("isError") {
                            *flag = false.into();
                        }
                    }
                    _ => {}
                }
            }
            set_success(frame);
        }),
    )
    .every()
    .caught_by(&["schema/tool_execution_end", "scenario:tools/failing-tool"]),
    frame(
        "result-differs",
        "the result message says something else than the execution",
        END,
        Op::Set("/result/content", r#"[{"type":"text","text":"?"}]"#),
    )
    .when(&[("/isError", "false")])
    .later()
    .caught_by(&["result-repeats-content"]),
    frame(
        "result-of-another-tool",
        "the result message names another tool",
        "",
        Op::SetIn(("role", "toolResult"), "/toolName", "\"other\""),
    )
    .every()
    .later()
    .caught_by(&["result-tool-name"]),
    bug(
        "loses-second-call",
        "of several calls only the first is done",
        Bug::LosesSecondCall,
    )
    .caught_by(&["every-call-answered"]),
    bug(
        "ends-after-tools",
        "the run ends when the tools are done, and the model does not hear of it",
        Bug::EndsTurnAfterTools,
    )
    .caught_by(&["continues-after-tools"]),
    bug(
        "loses-tool-results",
        "the model is not told what a tool gave",
        Bug::LosesToolResults,
    )
    .caught_by(&["scenario:tools/one-call"]),
    // No scenario of 0.73 and later shows it.
    start(
        "tool-reads-stdin",
        "a tool reads the agent's stdin",
        FaultEffect::Bug(Bug::ToolReadsStdin),
    )
    .caught_by(&["scenario:tools/stdin-is-not-the-protocol"])
    .only_in(V0_14),
    frame(
        "tool-use-is-stop",
        "a message that asks for tools stops with `stop`",
        "",
        Op::SetIn(("stopReason", "toolUse"), "/stopReason", "\"stop\""),
    )
    .every()
    .later()
    .caught_by(&["tool-use-reason", "stream-end-reason"])
    .caught_in(SINCE_0_73, &["scenario:stop/tool-use"]),
    frame(
        "stop-is-tool-use",
        "a message without tool calls stops with `toolUse`",
        "",
        Op::SetIn(("stopReason", "stop"), "/stopReason", "\"toolUse\""),
    )
    .every()
    .later()
    .caught_by(&["tool-use-reason", "stream-end-reason"]),
];
