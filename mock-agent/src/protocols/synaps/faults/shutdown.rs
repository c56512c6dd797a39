//! The exit of the process.

use super::conditions::{PROMPT, RESULT, TEXT};
use crate::faults::{Bug, Fault, FaultEffect, KillSignal, Op, bug, frame, start};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    start(
        "deaf-to-shutdown",
        "`shutdown` does not end the process",
        FaultEffect::Bug(Bug::IgnoresQuit),
    )
    .caught_by(&["shutdown-exits"]),
    bug(
        "deaf-to-shutdown-in-turn",
        "`shutdown` in the middle of a turn does not end the process",
        Bug::IgnoresQuitInTurn,
    )
    .caught_by(&["shutdown-exits"]),
    start(
        "panics-at-the-end",
        "the process ends with status 101",
        FaultEffect::Bug(Bug::PanicsAtEnd),
    )
    .caught_by(&["no-crash", "shutdown-exits"]),
    start(
        "exit-status-is-3",
        "`shutdown` ends the process with status 3",
        FaultEffect::Bug(Bug::ExitsWithThree),
    )
    .caught_by(&["shutdown-exits"]),
    start(
        "shutdown-needs-an-id",
        "a `shutdown` without an id is refused",
        FaultEffect::Command(|command| {
            if command["type"] == "shutdown" && command.get("id").is_none() {
                command["type"] = json!("?");
            }
        }),
    )
    .caught_by(&[
        "scenario:shutdown/when-idle",
        "shutdown-exits",
        "error-without-id",
    ]),
    start(
        "shutdown-answered",
        "`shutdown` has a response",
        FaultEffect::Bug(Bug::AnswersQuit),
    )
    .caught_by(&["shutdown-unanswered", "known-id"]),
    start(
        "shutdown-drops-answers",
        "`shutdown` ends the process before the commands before it are answered",
        FaultEffect::Bug(Bug::QuitDropsAnswers),
    )
    .caught_by(&["answered-before-exit", "answered-in-time"]),
    start(
        "deaf-to-eof",
        "the end of stdin does not end the process",
        FaultEffect::Bug(Bug::IgnoresEof),
    )
    .caught_by(&["eof-exits"]),
    start(
        "spins-after-eof",
        "the process spins for ever after the end of stdin",
        FaultEffect::Bug(Bug::SpinsAfterEof),
    )
    .caught_by(&["eof-exits"]),
    bug(
        "tool-outlives-agent",
        "a tool that runs at the end outlives the agent",
        Bug::ToolOutlivesAgent,
    )
    .caught_by(&["no-orphans"]),
    start(
        "orphan-holds-stdout",
        "a process that holds stdout outlives the agent",
        FaultEffect::Bug(Bug::OrphanHoldsStdout),
    )
    .caught_by(&["no-orphans"]),
    frame(
        "crash-in-turn",
        "the process ends with status 101 in the middle of a turn",
        "message_update",
        Op::Exit(101),
    )
    .when(TEXT)
    .caught_by(&["stays-alive"]),
    frame(
        "half-a-line",
        "the process ends in the middle of a line",
        "message_update",
        Op::HalfAndExit(0),
    )
    .when(TEXT)
    .caught_by(&["stays-alive", "json-lines", "line-feed"]),
    frame(
        "abort-in-turn",
        "the process aborts in the middle of a turn",
        "message_update",
        Op::Kill(KillSignal::Abort),
    )
    .when(TEXT)
    .caught_by(&["stays-alive"]),
    frame(
        "killed-in-tool",
        "the process is killed while a tool runs",
        "message_update",
        Op::Kill(KillSignal::Kill),
    )
    .when(RESULT)
    .caught_by(&["stays-alive"]),
    frame(
        "dies-before-response",
        "the process ends between the end of a turn and its response",
        "response",
        Op::Exit(0),
    )
    .when(PROMPT)
    .caught_by(&["stays-alive", "answered-before-exit", "answered-in-time"]),
];
