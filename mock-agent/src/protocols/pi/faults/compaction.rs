//! Compactions that are not told, or do not compact.

use crate::faults::{Bug, Effect, Fault, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-compaction",
        "a compaction is not told",
        "compaction",
        Op::Drop,
    )
    .every()
    .caught_by(&["compact-answered", "scenario:compact/automatic"]),
    frame(
        "two-compactions",
        "a compaction is told twice",
        "compaction",
        Op::Twice,
    )
    .caught_by(&["compaction-asked"]),
    frame(
        "manual-is-auto",
        "a compaction that was asked for says `auto`",
        "compaction",
        Op::Set("/auto", "true"),
    )
    .every()
    .caught_by(&["scenario:compact/manual", "compact-answered"]),
    frame(
        "auto-is-manual",
        "an automatic compaction does not say `auto`",
        "compaction",
        Op::Remove("/auto"),
    )
    .when(&[("/auto", "true")])
    .caught_by(&["compaction-asked"]),
    frame(
        "manual-says-not-auto",
        "a compaction that was asked for says `auto` false",
        "compaction",
        Op::Set("/auto", "false"),
    )
    .caught_by(&["schema/compaction", "compact-answered"]),
    frame(
        "no-tokens-before",
        "a compaction says that there was nothing before it",
        "compaction",
        Op::Set("/tokensBefore", "0"),
    )
    .every()
    .caught_by(&["tokens-before"]),
    frame(
        "other-summary",
        "the summary is not what the model wrote",
        "compaction",
        Op::Set("/summary", "\"?\""),
    )
    .every()
    .caught_by(&["scenario:compact/manual"]),
    bug(
        "summary-lost",
        "the model is not told the summary",
        Bug::CompactionLosesSummary,
    )
    .caught_by(&["scenario:compact/summary-goes-to-the-model"]),
    bug(
        "history-kept",
        "a compaction leaves the conversation as it was",
        Bug::CompactionKeepsHistory,
    )
    .caught_by(&["scenario:compact/history-is-replaced"]),
    bug(
        "never-compacts",
        "there is no automatic compaction",
        Bug::CompactsNever,
    )
    .caught_by(&["scenario:compact/automatic"]),
    bug(
        "compacts-early",
        "there is an automatic compaction long before the context is full",
        Bug::CompactsEarly,
    )
    .caught_by(&["scenario:compact/not-below-the-mark"]),
    start(
        "instructions-lost",
        "the instructions of `compact` are dropped",
        Effect::Command(|command| {
            if let Some(map) = command.as_object_mut() {
                map.shift_remove("customInstructions");
            }
        }),
    )
    .caught_by(&["scenario:compact/instructions-guide-it"]),
    start(
        "instructions-are-required",
        "`compact` without instructions is refused",
        Effect::Command(|command| {
            if command["type"] == "compact" && command.get("customInstructions").is_none() {
                command["type"] = "?".into();
            }
        }),
    )
    .caught_by(&["scenario:compact/manual"]),
];
