//! The process: start, life and exit.

use super::common::{CRASH, SINCE_0_73, V0_14, V0_73, V0_87};
use crate::faults::{Bug, Fault, FaultEffect, KillSignal, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    start(
        "flag-gone",
        "the flag --no-session is not known any more",
        FaultEffect::Bug(Bug::RejectsOldFlag),
    )
    .caught_by(&[
        "scenario:startup/first-command-is-served",
        "stays-alive",
        "prompt-answered",
        "bash-answered",
        "malformed-answered",
    ])
    .caught_in(
        SINCE_0_73,
        &[
            "stays-alive",
            "answered",
            "answered-before-exit",
            "bare-answered",
            "prompt-answered",
            "malformed-answered",
        ],
    ),
    start(
        "keeps-session",
        "the session is kept in spite of --no-session",
        FaultEffect::Options(|options| options.no_session = false),
    )
    .caught_by(&["scenario:startup/no-session-is-not-kept"])
    .caught_in(SINCE_0_73, &["scenario:startup/no-session"]),
    // No scenario of 0.73 and later shows it.
    start(
        "keeps-no-session",
        "the session is not kept without --no-session",
        FaultEffect::Options(|options| options.no_session = true),
    )
    .caught_by(&["scenario:startup/session-is-kept"])
    .only_in(V0_14),
    start(
        "deaf-to-eof",
        "the end of stdin does not end the process",
        FaultEffect::Bug(Bug::IgnoresEof),
    )
    .caught_by(&["eof-exits", "scenario:startup/end-of-file-when-idle"]),
    start(
        "spins-after-eof",
        "the process spins for ever after the end of stdin",
        FaultEffect::Bug(Bug::SpinsAfterEof),
    )
    .caught_by(&["eof-exits", "scenario:startup/end-of-file-when-idle"]),
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
    start(
        "panics-at-eof",
        "the end of stdin ends the process with status 101",
        FaultEffect::Bug(Bug::PanicsAtEnd),
    )
    .caught_by(&["no-crash"]),
    start(
        "exit-status-at-eof",
        "the end of stdin ends the process with status 3",
        FaultEffect::Bug(Bug::ExitsWithThree),
    )
    .caught_by(&["eof-exit-code"]),
    bug(
        "exits-after-run",
        "the process ends by itself after a run",
        Bug::ExitsAfterTurn,
    )
    .caught_by(&["stays-alive", "prompt-answered"])
    .caught_in(
        V0_73,
        &[
            "stays-alive",
            "prompt-answered",
            "bare-answered",
            "answered",
            "answered-before-exit",
        ],
    )
    .caught_in(
        V0_87,
        &[
            "stays-alive",
            "prompt-answered",
            "answered",
            "bare-answered",
            "answered-before-exit",
            "settles",
        ],
    ),
    frame(
        "crash-at-prompt",
        "the process ends with status 1 in place of a run",
        "agent_start",
        Op::Exit(1),
    )
    .caught_by(&["prompt-answered", "stays-alive"])
    .caught_in(
        SINCE_0_73,
        &[
            "prompt-answered",
            "bare-answered",
            "answered",
            "stays-alive",
        ],
    ),
    frame(
        "crash-in-run",
        "the process ends with status 101 in the middle of a run",
        "message_update",
        Op::Exit(101),
    )
    .caught_by(&["stays-alive", "abort-ends-run"])
    .caught_in(SINCE_0_73, CRASH),
    frame(
        "abort-in-run",
        "the process aborts in the middle of a run",
        "message_update",
        Op::Kill(KillSignal::Abort),
    )
    .caught_by(&["stays-alive", "abort-ends-run", "no-orphans"])
    .caught_in(SINCE_0_73, CRASH),
    frame(
        "killed-in-tool",
        "the process is killed while a tool runs",
        "tool_execution_end",
        Op::Kill(KillSignal::Kill),
    )
    .caught_by(&["stays-alive", "abort-ends-run"])
    .caught_in(SINCE_0_73, CRASH),
    frame(
        "crash-in-shell-command",
        "the process ends with status 1 when a shell command does",
        "bash_end",
        Op::Exit(1),
    )
    .at_start()
    .caught_by(&["bash-answered", "stays-alive"])
    .only_in(V0_14),
    frame(
        "crash-in-compaction",
        "the process ends with status 1 in place of a compaction",
        "compaction",
        Op::Exit(1),
    )
    .caught_by(&["compact-answered", "stays-alive"])
    .only_in(V0_14),
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
    .caught_by(&["no-orphans"]),
];
