//! Subagents.

use crate::faults::{Bug, Fault, Op, bug, frame};

const ENDS: &str = "subagent_done";

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-subagent-start",
        "a subagent is not announced",
        "subagent_start",
        Op::Drop,
    )
    .caught_by(&["subagent-lifecycle"]),
    frame(
        "two-subagent-starts",
        "a subagent is announced twice",
        "subagent_start",
        Op::Twice,
    )
    .caught_by(&["subagent-lifecycle", "subagent-ids-grow"]),
    frame(
        "subagent-start-late",
        "a subagent is announced behind its first update",
        "subagent_start",
        Op::Late("subagent_update"),
    )
    .caught_by(&["subagent-lifecycle", "subagent-name"]),
    frame(
        "subagent-update-late",
        "an update of a subagent comes behind its end",
        "subagent_update",
        Op::Late(ENDS),
    )
    .caught_by(&["subagent-lifecycle"]),
    frame(
        "no-subagent-update",
        "a subagent tells nothing between its start and its end",
        "subagent_update",
        Op::Drop,
    )
    .every()
    .caught_by(&["scenario:subagents/tells-how-it-is"]),
    frame(
        "update-of-another-subagent",
        "an update names a subagent that was never started",
        "subagent_update",
        Op::Set("/subagent_id", "99"),
    )
    .caught_by(&["subagent-lifecycle"]),
    frame("no-subagent-done", "a subagent never ends", ENDS, Op::Drop)
        .every()
        .caught_by(&["scenario:subagents/lifecycle"]),
    frame(
        "two-subagent-dones",
        "a subagent ends twice",
        ENDS,
        Op::Twice,
    )
    .caught_by(&["subagent-lifecycle"]),
    frame(
        "done-of-another-subagent",
        "the end of a subagent names one that was never started",
        ENDS,
        Op::Set("/subagent_id", "99"),
    )
    .caught_by(&["subagent-lifecycle"]),
    bug(
        "subagent-ids-repeat",
        "every subagent has the same id",
        Bug::SubagentIdsRepeat,
    )
    .caught_by(&["subagent-lifecycle", "subagent-ids-grow"]),
    bug(
        "subagent-ids-fall",
        "each new subagent has a smaller id than the one before",
        Bug::SubagentIdsFall,
    )
    .caught_by(&["subagent-ids-grow"]),
    frame(
        "subagent-renamed",
        "a subagent has another name at its end",
        ENDS,
        Op::Set("/agent_name", "\"other\""),
    )
    .caught_by(&["subagent-name"]),
    frame(
        "subagent-start-without-task",
        "`subagent_start` has no task_preview",
        "subagent_start",
        Op::Remove("/task_preview"),
    )
    .caught_by(&["schema/subagent_start"]),
    frame(
        "subagent-id-is-text",
        "`subagent_start` has its id as text",
        "subagent_start",
        Op::Set("/subagent_id", "\"1\""),
    )
    .caught_by(&[
        "schema/subagent_start",
        "subagent-lifecycle",
        "subagent-name",
    ]),
    frame(
        "subagent-update-without-status",
        "`subagent_update` has no status",
        "subagent_update",
        Op::Remove("/status"),
    )
    .caught_by(&["schema/subagent_update"]),
    frame(
        "subagent-done-without-result",
        "`subagent_done` has no result_preview",
        ENDS,
        Op::Remove("/result_preview"),
    )
    .caught_by(&["schema/subagent_done"]),
    frame(
        "subagent-result-is-empty",
        "`subagent_done` says nothing of the result",
        ENDS,
        Op::Set("/result_preview", "\"\""),
    )
    .caught_by(&["scenario:subagents/lifecycle"]),
    frame(
        "subagent-duration-in-ms",
        "the time that a subagent ran for is told in milliseconds",
        ENDS,
        Op::Change(|frame| {
            let seconds = frame["duration_secs"].as_f64().unwrap_or_default();
            frame["duration_secs"] = (seconds * 1000.0).into();
        }),
    )
    .caught_by(&["scenario:subagents/takes-its-time"]),
    frame(
        "subagent-duration-is-nothing",
        "a subagent is said to have run for no time",
        ENDS,
        Op::Set("/duration_secs", "0.0"),
    )
    .caught_by(&["scenario:subagents/takes-its-time"]),
    frame(
        "subagent-id-has-a-fraction",
        "`subagent_start` has its id with a fraction",
        "subagent_start",
        Op::Set("/subagent_id", "1.0"),
    )
    .caught_by(&[
        "schema/subagent_start",
        "subagent-lifecycle",
        "subagent-name",
    ]),
    frame(
        "subagent-duration-negative",
        "a subagent ran for a negative time",
        ENDS,
        Op::Set("/duration_secs", "-1.5"),
    )
    .caught_by(&["schema/subagent_done"]),
    frame(
        "subagent-duration-is-text",
        "the time that a subagent ran for is text",
        ENDS,
        Op::Set("/duration_secs", "\"1.5 s\""),
    )
    .caught_by(&["schema/subagent_done"]),
    frame(
        "subagent-task-is-its-name",
        "the preview of a subagent's task is its name",
        "subagent_start",
        Op::Set("/task_preview", "\"subagent\""),
    )
    .caught_by(&["scenario:subagents/lifecycle"]),
    frame(
        "subagent-result-is-its-task",
        "the preview of a subagent's result is that of its task",
        ENDS,
        Op::Set("/result_preview", "\"count the herons\""),
    )
    .caught_by(&["scenario:subagents/lifecycle"]),
    frame(
        "subagent-speaks-in-the-turn",
        "what a subagent says comes as text of the assistant's",
        ENDS,
        Op::Before(
            r#"{"type":"message_update","event":{"type":"text_delta","delta":"seven herons"}}"#,
        ),
    )
    .caught_by(&["scenario:subagents/says-nothing-in-the-turn"]),
];
