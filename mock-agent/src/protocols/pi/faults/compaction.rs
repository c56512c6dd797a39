//! Compactions, queues and retries.

use super::common::{SINCE_0_73, V0_14, V0_73, V0_87, When, event};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "no-compaction",
        "a compaction is not told",
        "compaction",
        Op::Drop,
    )
    .every()
    .caught_by(&["compact-answered", "scenario:compact/automatic"])
    .only_in(V0_14),
    frame(
        "two-compactions",
        "a compaction is told twice",
        "compaction",
        Op::Twice,
    )
    .caught_by(&["compaction-asked"])
    .only_in(V0_14),
    frame(
        "manual-is-auto",
        "a compaction that was asked for says `auto`",
        "compaction",
        Op::Set("/auto", "true"),
    )
    .every()
    .caught_by(&["scenario:compact/manual", "compact-answered"])
    .only_in(V0_14),
    frame(
        "auto-is-manual",
        "an automatic compaction does not say `auto`",
        "compaction",
        Op::Remove("/auto"),
    )
    .when(&[("/auto", "true")])
    .caught_by(&["compaction-asked"])
    .only_in(V0_14),
    frame(
        "manual-says-not-auto",
        "a compaction that was asked for says `auto` false",
        "compaction",
        Op::Set("/auto", "false"),
    )
    .caught_by(&["schema/compaction", "compact-answered"])
    .only_in(V0_14),
    frame(
        "no-tokens-before",
        "a compaction says that there was nothing before it",
        "compaction",
        Op::Set("/tokensBefore", "0"),
    )
    .every()
    .caught_by(&["tokens-before"])
    .only_in(V0_14),
    frame(
        "other-summary",
        "the summary is not what the model wrote",
        "compaction",
        Op::Set("/summary", "\"?\""),
    )
    .every()
    .caught_by(&["scenario:compact/manual"])
    .only_in(V0_14),
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
    .caught_by(&["scenario:compact/history-is-replaced"])
    .caught_in(SINCE_0_73, &["scenario:compact/summary-goes-to-the-model"]),
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
        FaultEffect::Command(|command| {
            if let Some(map) = command.as_object_mut() {
                map.shift_remove("customInstructions");
            }
        }),
    )
    .caught_by(&["scenario:compact/instructions-guide-it"])
    .only_in(V0_14),
    // 0.73 and later have other commands.
    start(
        "instructions-are-required",
        "`compact` without instructions is refused",
        FaultEffect::Command(|command| {
            if command["type"] == "compact" && command.get("customInstructions").is_none() {
                command["type"] = "?".into();
            }
        }),
    )
    .caught_by(&["scenario:compact/manual"])
    .only_in(V0_14),
];

const COMPACTED: When = &[("/reason", "manual"), ("/aborted", "false")];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    event("every-wait-is-told-as-one", "the wait before a retry is told as one millisecond", "auto_retry_start", Op::Set("/delayMs", "1"), &["scenario:retry/waits-grow"]).every().later(),
    event("queue-update-lost", "what is queued is not told", "queue_update", Op::Drop, &["queued-before-response", "queued-told", "scenario:queue/images", "scenario:queue/steer-after-the-tools"]).every().later(),
    event("queue-update-of-strangers", "the queue holds what nobody said", "queue_update", Op::Set("/steering", "[\"never said\"]"), &["queue-contents"]),
    event("queue-update-first-only", "`queue_update` lists only the first of each queue", "queue_update", Op::Change(|frame| {
        for queue in ["steering", "followUp"] {
            if let Some(waiting) = frame[queue].as_array_mut() {
                waiting.truncate(1);
            }
        }
    }), &["scenario:queue/told-at-every-change"]).every(),
    event("queue-update-swaps", "`queue_update` tells each queue in the place of the other", "queue_update", Op::Change(|frame| {
        let steering = frame["steering"].take();
        frame["steering"] = std::mem::replace(&mut frame["followUp"], steering);
    }), &["queue-contents", "scenario:queue/told-at-every-change"]).every(),
    event("retry-says-nothing", "a retry does not say what failed", "auto_retry_start", Op::Set("/errorMessage", "\"\""), &["schema/auto_retry_start"]),
    event("final-error-is-empty", "retries that failed say nothing of why", "auto_retry_end", Op::Set("/finalError", "\"\""), &["schema/auto_retry_end"]).when(&[("/success", "false")]),
    event("queue-update-half", "`queue_update` has one queue only", "queue_update", Op::Remove("/followUp"), &["schema/queue_update"]),
    event("compaction-never-starts", "`compaction_start` is lost", "compaction_start", Op::Drop, &["compaction-envelope"]).later(),
    event("compaction-never-ends", "`compaction_end` is lost", "compaction_end", Op::Drop, &["compaction-envelope", "compaction-told"]).later(),
    event("compaction-ends-for-another-reason", "a compaction ends for another reason", "compaction_end", Op::Set("/reason", "\"threshold\""), &["compaction-same-reason"]).when(COMPACTED),
    event("compaction-of-no-known-reason", "a compaction has a reason of its own", "compaction_start", Op::Set("/reason", "\"whim\""), &["schema/compaction_start", "compaction-same-reason"]),
    event("compaction-without-summary", "the result of a compaction has no summary", "compaction_end", Op::Remove("/result/summary"), &["schema/compaction_end", "compaction-response"]).when(COMPACTED),
    event("compaction-of-nothing", "the context before a compaction was empty", "compaction_end", Op::Set("/result/tokensBefore", "0"), &["tokens-before", "compaction-response", "scenario:compact/manual"]).when(COMPACTED),
    event("compaction-aborted-with-result", "an aborted compaction has a result", "compaction_end", Op::Set("/aborted", "true"), &["schema/compaction_end"]).when(COMPACTED),
    event("failed-compaction-without-result", "a failed compaction leaves the result out", "compaction_end", Op::Remove("/result"), &["schema/compaction_end"]).when(&[("/result", "null")]).only_in(V0_73),
    event("overflow-will-not-retry", "a compaction for overflow does not say that the prompt is tried again", "compaction_end", Op::Set("/willRetry", "false"), &["compaction-retries", "prompt-response-first"]).when(&[("/reason", "overflow"), ("/willRetry", "true")]),
    event("manual-without-command", "an automatic compaction says that it was asked for", "compaction_start", Op::Set("/reason", "\"manual\""), &["compaction-asked", "compaction-same-reason"]).when(&[("/reason", "threshold")]),
    event("compacts-though-switched-off", "there is an automatic compaction though it was switched off", "agent_end", Op::FramesAfter(&[
        r#"{"type":"compaction_start","reason":"threshold"}"#,
        r#"{"type":"compaction_end","reason":"threshold","result":null,"aborted":false,"willRetry":false,"errorMessage":"none"}"#,
    ]), &["compaction-off", "scenario:compact/switched-off"]).when(&[("/messages/0/content/0/text", "and now")]).later().only_in(V0_73),
    event("retry-never-starts", "`auto_retry_start` is lost", "auto_retry_start", Op::Drop, &["retry-envelope", "run-has-prompt", "prompt-response-first", "retry-first"]).later(),
    event("retry-never-ends", "`auto_retry_end` is lost", "auto_retry_end", Op::Drop, &["retry-ends", "retry-envelope", "retry-success-told"]).later(),
    event("retry-ends-twice", "`auto_retry_end` comes twice", "auto_retry_end", Op::Twice, &["retry-envelope"]),
    event("retry-counts-from-two", "the first attempt is the second", "auto_retry_start", Op::Set("/attempt", "2"), &["retry-first", "retry-attempts", "retry-envelope"]).when(&[("/attempt", "1")]),
    event("retry-beyond-the-last", "there are more attempts than at most", "auto_retry_start", Op::Set("/attempt", "9"), &["retry-attempts", "retry-first", "retry-envelope"]),
    event("retry-does-not-count", "every attempt is the first", "auto_retry_start", Op::Set("/attempt", "1"), &["retry-attempts"]).when(&[("/attempt", "2")]),
    event("retry-after-success", "a retry starts when nothing has failed", "agent_end", Op::After(r#"{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":10,"errorMessage":"none"}"#), &["retry-cause", "retry-envelope", "retry-ends", "retry-first", "retry-attempts"]).later().caught_in(V0_87, &["retry-cause", "retry-envelope", "retry-ends", "retry-first", "retry-attempts", "retry-announced", "retry-success-told"]),
    event("retry-without-delay", "a retry does not say how long it waits", "auto_retry_start", Op::Remove("/delayMs"), &["schema/auto_retry_start"]),
    event("failure-without-final-error", "retries that failed do not say why", "auto_retry_end", Op::Remove("/finalError"), &["schema/auto_retry_end"]).when(&[("/success", "false")]),
    event("retry-end-without-attempt", "`auto_retry_end` does not say how many attempts there were", "auto_retry_end", Op::Remove("/attempt"), &["schema/auto_retry_end"]),
    event("retry-told-late", "a retry is told when it is at work", "auto_retry_start", Op::Late("turn_start"), &["agent-done-once", "run-has-prompt", "prompt-response-first", "retry-first"]),
    event("will-retry-and-does-not", "a compaction says that the prompt is tried again, and it is not", "compaction_end", Op::Set("/willRetry", "true"), &["compaction-will-retry", "scenario:compact/manual"]).when(COMPACTED).later(),
];
