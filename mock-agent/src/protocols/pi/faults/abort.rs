//! Aborts that do too little or too much.

use super::common::{CRASH, SINCE_0_73, UNTIL_0_73, V0_14, V0_87};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    bug("ignores-abort", "`abort` changes nothing", Bug::IgnoresStop)
        .caught_by(&["abort-ends-run", "scenario:abort/while-streaming", "run-open-at-end"]),
    bug(
        "abort-without-end",
        "an aborted run has no `agent_end`",
        Bug::StopHasNoEnd,
    )
    .caught_by(&["abort-ends-run", "scenario:abort/while-streaming", "run-open-at-end", "run-ends"]).caught_in(V0_87, &["abort-ends-run", "scenario:abort/while-streaming", "run-open-at-end", "run-ends", "abort-waits", "message-envelope", "run-envelope", "settled-outside-runs"]),
    bug(
        "abort-keeps-request",
        "an abort does not cancel the request to the model",
        Bug::StopKeepsRequest,
    )
    .caught_by(&["scenario:abort/before-the-first-word"]),
    // No scenario of 0.73 and later shows it.
    bug(
        "abort-keeps-tool",
        "an abort does not end the tool",
        Bug::StopKeepsTool,
    )
    .caught_by(&["scenario:abort/ends-the-tool"]).only_in(V0_14),
    // No scenario of 0.73 and later shows it.
    bug(
        "abort-keeps-children",
        "an abort ends the tool, but not what it has started",
        Bug::StopKeepsChildren,
    )
    .caught_by(&["scenario:abort/ends-what-the-tool-started"]).only_in(V0_14),
    frame(
        "aborted-is-stop",
        "a message that was cut short stops with `stop`",
        "",
        Op::SetIn(("stopReason", "aborted"), "/stopReason", "\"stop\""),
    )
    .every()
    .caught_by(&[
        "scenario:abort/while-streaming",
        "stream-end-reason",
        "cut-is-aborted",
    ]),
    frame(
        "aborted-is-error",
        "a message that was cut short stops with `error`",
        "",
        Op::SetIn(("stopReason", "aborted"), "/stopReason", "\"error\""),
    )
    .every()
    .caught_by(&["scenario:abort/while-streaming", "stream-end-reason"]),
    frame(
        "stop-is-aborted",
        "a message that nobody cut short stops with `aborted`",
        "",
        Op::SetIn(("stopReason", "stop"), "/stopReason", "\"aborted\""),
    )
    .every()
    .later()
    .caught_by(&["aborted-by-abort", "stream-end-reason"]),
    frame(
        "text-after-abort",
        "the model goes on behind the end of an aborted run",
        "agent_end",
        Op::AfterWhile(
            50,
            r#"{"type":"message_update","message":"$/messages/1","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":"$/messages/1"}}"#,
        ),
    )
    .when(&[("/messages/1/stopReason", "aborted")])
    .caught_by(&["message-envelope"]).only_in(UNTIL_0_73),
    bug(
        "abort-is-an-error",
        "an abort is told as an error",
        Bug::ReportsStopAsFailure,
    ),
    bug(
        "abort-leaves-busy",
        "no run begins after an abort",
        Bug::StopLeavesBusy,
    )
    .caught_by(&["prompt-answered", "scenario:abort/next-run-is-whole"]).caught_in(V0_87, &["prompt-answered", "scenario:abort/next-run-is-whole", "answered", "bare-answered", "settles"]),
    bug("abort-exits", "an abort ends the process", Bug::StopExits).caught_by(&["abort-ends-run", "stays-alive"]).caught_in(SINCE_0_73, CRASH),
    // No scenario of 0.73 and later shows it.
    bug(
        "abort-forgets",
        "an abort clears the conversation",
        Bug::StopForgets,
    )
    .caught_by(&["scenario:abort/keeps-the-conversation"]).only_in(V0_14),
    bug(
        "failure-forgets",
        "a failure of the model clears the conversation",
        Bug::ProviderErrorForgets,
    )
    .caught_by(&["scenario:stop/failure-keeps-the-conversation"]),
    start(
        "idle-abort-poisons",
        "an abort with nothing to abort ends the next run",
        FaultEffect::Bug(Bug::IdleStopStopsNextTurn),
    )
    .caught_by(&["scenario:abort/when-idle"]),
];
