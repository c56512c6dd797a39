//! Aborts that do too little or too much.

use super::conditions::ABORT;
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    bug("ignores-abort", "`abort` changes nothing", Bug::IgnoresStop).caught_by(&[
        "abort-ends-turn",
        "answered-in-time",
        "scenario:abort/while-streaming",
    ]),
    bug(
        "aborts-once",
        "the second `abort` of a session changes nothing",
        Bug::StopsOnce,
    )
    .caught_by(&[
        "scenario:abort/again",
        "abort-ends-turn",
        "answered-in-time",
    ]),
    bug(
        "abort-without-end",
        "an aborted turn has no `agent_end`, and nothing is answered",
        Bug::StopHasNoEnd,
    )
    .caught_by(&[
        "abort-ends-turn",
        "answered-before-exit",
        "answered-in-time",
        "scenario:abort/while-streaming",
    ]),
    frame(
        "abort-without-response",
        "an abort has no response",
        "response",
        Op::Drop,
    )
    .when(ABORT)
    .at_start()
    .every()
    .caught_by(&[
        "answered-before-exit",
        "answered-in-time",
        "scenario:abort/while-streaming",
    ]),
    bug(
        "abort-leaves-busy",
        "no turn begins after an abort",
        Bug::StopLeavesBusy,
    )
    .caught_by(&["scenario:abort/next-turn-is-whole"]),
    bug("abort-exits", "an abort ends the process", Bug::StopExits)
        .caught_by(&["stays-alive", "abort-ends-turn"]),
    start(
        "idle-abort-poisons",
        "an abort with nothing to abort ends the next turn",
        FaultEffect::Bug(Bug::IdleStopStopsNextTurn),
    )
    .caught_by(&["scenario:abort/when-idle"]),
    frame(
        "text-after-abort",
        "an aborted turn goes on saying things behind its end",
        "response",
        Op::After(r#"{"type":"message_update","event":{"type":"text_delta","delta":"and"}}"#),
    )
    .when(ABORT)
    .caught_by(&["update-in-turn", "state-streaming"]),
    bug(
        "abort-keeps-tool",
        "an abort does not end the tool",
        Bug::StopKeepsTool,
    ),
    bug(
        "abort-keeps-request",
        "an abort leaves the request to the model open",
        Bug::StopKeepsRequest,
    )
    .caught_by(&["scenario:abort/while-streaming"]),
    bug(
        "abort-is-an-error",
        "an abort is told as an error",
        Bug::ReportsStopAsFailure,
    ),
    bug(
        "abort-leaves-streaming",
        "`get_state` says for ever that a turn runs, once one was aborted",
        Bug::StopLeavesStreaming,
    )
    .caught_by(&["state-at-rest", "state-idle"]),
];
