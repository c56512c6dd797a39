//! Stops that do too little or too much.

use crate::faults::{Bug, Fault, FaultEffect, bug, start};

pub(super) const FAULTS: &[Fault] = &[
    bug("ignores-stop", "`stop` changes nothing", Bug::IgnoresStop)
        .caught_by(&["stop-ends-turn", "scenario:stop/model-that-never-answers"]),
    bug(
        "stops-once",
        "the second `stop` of a session changes nothing",
        Bug::StopsOnce,
    )
    .caught_by(&["scenario:stop/again", "stop-ends-turn"]),
    bug(
        "stop-without-end",
        "a stopped turn has no `stream_end`",
        Bug::StopHasNoEnd,
    )
    .caught_by(&["stop-ends-turn"]),
    bug(
        "stop-keeps-request",
        "a stop does not cancel the request to the model",
        Bug::StopKeepsRequest,
    )
    .caught_by(&["scenario:stop/before-the-first-word"]),
    bug(
        "stop-keeps-tool",
        "a stop does not end the tool",
        Bug::StopKeepsTool,
    )
    .caught_by(&["scenario:stop/while-a-tool-runs"]),
    bug(
        "stop-keeps-children",
        "a stop ends the tool, but not what it has started",
        Bug::StopKeepsChildren,
    )
    .caught_by(&["scenario:stop/tool-with-children"]),
    bug(
        "stop-runs-tools",
        "a stop lets the calls run that wait for approval",
        Bug::StopRunsTools,
    )
    .caught_by(&["approval-before-run", "stop-ends-turn"]),
    bug(
        "stop-cancels-silently",
        "the calls that a stop has cancelled get no `tool_cancelled`",
        Bug::StopCancelsNothing,
    )
    .caught_by(&["scenario:stop/reports-the-open-request"]),
    bug(
        "stop-is-an-error",
        "a stop is told as an error",
        Bug::ReportsStopAsFailure,
    ),
    bug(
        "stop-leaves-busy",
        "no turn begins after a stop",
        Bug::StopLeavesBusy,
    )
    .caught_by(&["message-answered", "scenario:stop/while-streaming"]),
    bug("stop-exits", "a stop ends the process", Bug::StopExits)
        .caught_by(&["stays-alive", "stop-ends-turn"]),
    bug(
        "stop-forgets",
        "a stop clears the conversation",
        Bug::StopForgets,
    )
    .caught_by(&["scenario:stop/keeps-the-conversation"]),
    bug(
        "stop-forgets-allowed",
        "a stop takes back what was always allowed",
        Bug::StopForgetsAllowed,
    )
    .caught_by(&["always-allows", "scenario:stop/keeps-what-was-allowed"]),
    bug(
        "stop-resets-mode",
        "a stop sets the mode back to default",
        Bug::StopResetsMode,
    )
    .caught_by(&[
        "auto-edit-asks-less",
        "scenario:stop/keeps-what-was-allowed",
    ]),
    start(
        "idle-stop-poisons",
        "a stop with nothing to stop ends the next turn",
        FaultEffect::Bug(Bug::IdleStopStopsNextTurn),
    )
    .caught_by(&["scenario:stop/with-nothing-to-stop"]),
];
