//! The process: start, life and exit.

use crate::faults::{Bug, Fault, FaultEffect, KillSignal, Op, bug, frame, start};
use crate::protocols::aionrs::version::V0_1;

pub(super) const FAULTS: &[Fault] = &[
    frame("no-ready", "`ready` never comes", "ready", Op::Drop)
        .at_start()
        .caught_by(&["scenario:startup/ready"]),
    frame(
        "ready-late",
        "`ready` comes after 15 s",
        "ready",
        Op::Delay(15_000),
    )
    .at_start()
    .caught_by(&["scenario:startup/ready"]),
    frame("ready-twice", "`ready` comes twice", "ready", Op::Twice)
        .at_start()
        .caught_by(&["ready-once"]),
    frame(
        "ready-again",
        "`ready` comes again in the middle of the session",
        "stream_end",
        Op::After(
            r#"{"type":"ready","version":"0.1.0","capabilities":{"tool_approval":true,"thinking":true,"mcp":true}}"#,
        ),
    )
    .caught_by(&["ready-once"]).only_in(V0_1),
    frame(
        "info-before-ready",
        "an `info` comes before `ready`",
        "ready",
        Op::Before(r#"{"type":"info","msg_id":"","message":"Loading"}"#),
    )
    .at_start()
    .caught_by(&["ready-first"]),
    frame(
        "delta-before-ready",
        "a `text_delta` comes before `ready`",
        "ready",
        Op::Before(r#"{"type":"text_delta","text":"Hello","msg_id":""}"#),
    )
    .at_start()
    .caught_by(&["ready-before-turns"]),
    frame(
        "dies-at-start",
        "the process ends at the start with status 1 and says nothing",
        "ready",
        Op::Exit(1),
    )
    .at_start()
    .caught_by(&["startup-failure-told"]),
    frame(
        "ends-at-start",
        "the process ends at the start with status 0 and says nothing",
        "ready",
        Op::Exit(0),
    )
    .at_start()
    .caught_by(&["startup-failure-told"]),
    frame(
        "fatal-error-untold",
        "a fatal error is not told",
        "error",
        Op::Drop,
    )
    .at_start()
    .when(&[("/error/code", "config_error")])
    .caught_by(&["startup-failure-told"]),
    start(
        "fatal-error-exits-zero",
        "the process ends with status 0 after a fatal error",
        FaultEffect::Bug(Bug::FatalExitsZero),
    )
    .caught_by(&["scenario:fatal/no-anthropic-key", "startup-failure-told"]),
    start(
        "starts-without-key",
        "a missing key does not keep the agent from starting",
        FaultEffect::Options(|options| options.keyless = true),
    )
    .caught_by(&[
        "scenario:fatal/no-anthropic-key",
        "scenario:fatal/no-openai-key",
        "scenario:fatal/no-aws-variables",
        "scenario:fatal/no-vertex-variables",
    ]),
    start(
        "flag-gone",
        "the flag --max-turns is not known any more",
        FaultEffect::Bug(Bug::RejectsOldFlag),
    )
    .caught_by(&["startup-failure-told"]),
    start(
        "deaf-to-eof",
        "the end of stdin does not end the process",
        FaultEffect::Bug(Bug::IgnoresEof),
    )
    .caught_by(&["eof-exits"]),
    start(
        "last-line-lost",
        "a last line without its newline is dropped",
        FaultEffect::Bug(Bug::LosesLastLine),
    )
    .caught_by(&["scenario:framing/unterminated-last-line"]),
    start(
        "last-command-lost",
        "a command is dropped if stdin ends right behind it",
        FaultEffect::Bug(Bug::LosesLastCommand),
    )
    .caught_by(&[
        "scenario:shutdown/message-then-eof",
        "scenario:framing/unterminated-last-line",
    ]),
    start(
        "spins-after-eof",
        "the process spins for ever after the end of stdin",
        FaultEffect::Bug(Bug::SpinsAfterEof),
    )
    .caught_by(&["eof-exits"]),
    start(
        "hangs-at-eof-while-asking",
        "the end of stdin does not end a process that waits for approval",
        FaultEffect::Bug(Bug::HangsAtEofDuringApproval),
    )
    .caught_by(&["eof-exits"]),
    start(
        "deaf-to-sigterm",
        "SIGTERM does not end the process",
        FaultEffect::Bug(Bug::IgnoresSigterm),
    )
    .caught_by(&["sigterm-exits"]),
    start(
        "deaf-to-sigterm-in-tool",
        "SIGTERM does not end a process that is busy with a tool",
        FaultEffect::Bug(Bug::IgnoresSigtermInTool),
    )
    .caught_by(&["sigterm-exits"]),
    bug(
        "leaves-turn-open",
        "the process ends in the middle of a turn without `stream_end`",
        Bug::ExitHasNoEnd,
    )
    .caught_by(&["turn-open-at-end"]),
    start(
        "exit-status-at-eof",
        "the end of stdin ends the process with status 3",
        FaultEffect::Bug(Bug::ExitsWithThree),
    )
    .caught_by(&["eof-exit-code"]),
    start(
        "panics-at-eof",
        "the end of stdin ends the process with a panic",
        FaultEffect::Bug(Bug::PanicsAtEnd),
    )
    .caught_by(&["no-crash"]),
    bug(
        "exits-after-turn",
        "the process ends by itself after a turn",
        Bug::ExitsAfterTurn,
    )
    .caught_by(&["stays-alive"]),
    frame(
        "crash-in-turn",
        "the process ends with status 101 in the middle of a turn",
        "text_delta",
        Op::Exit(101),
    )
    .caught_by(&["stays-alive"]),
    frame(
        "abort-in-turn",
        "the process aborts in the middle of a turn",
        "text_delta",
        Op::Kill(KillSignal::Abort),
    )
    .caught_by(&["stays-alive"]),
    frame(
        "killed-in-tool",
        "the process is killed while a tool runs",
        "tool_result",
        Op::Kill(KillSignal::Kill),
    )
    .caught_by(&["stays-alive"]),
    start(
        "orphan-holds-stdout",
        "a process that holds stdout outlives the agent",
        FaultEffect::Bug(Bug::OrphanHoldsStdout),
    )
    .caught_by(&["no-orphans"]),
    start(
        "tool-outlives-agent",
        "a tool outlives the agent",
        FaultEffect::Bug(Bug::ToolOutlivesAgent),
    )
    .caught_by(&["tools-end-with-agent"]),
];
