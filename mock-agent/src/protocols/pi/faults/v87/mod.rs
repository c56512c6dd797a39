//! Faults: what a broken agent of this version may do besides what one of 0.73 may.

mod heritage;
mod stream;
mod values;

pub(in crate::protocols::pi) use heritage::{CAUGHT_HERE, WITHOUT};

use super::v73::{event, response};
use super::v73::{lose, taken};
use crate::faults::{ABSENT, Bug, Effect, Fault, Op, bug, start};
use serde_json::Value;

const QUEUE: &[(&str, &str)] = &[("/command", "clear_queue"), ("/success", "true")];
const LEVELS: &[(&str, &str)] = &[("/command", "get_available_thinking_levels")];
const ENTRIES: &[(&str, &str)] = &[
    ("/command", "get_entries"),
    ("/success", "true"),
    ("/id", "e"),
];
const TREE: &[(&str, &str)] = &[("/command", "get_tree")];
const COMMANDS: &[(&str, &str)] = &[
    ("/command", "get_commands"),
    ("/data/commands/0/source", "extension"),
];

/// Table by table.
pub(in crate::protocols::pi) const FAULTS: &[&[Fault]] = &[OWN, stream::FAULTS, values::FAULTS];

#[rustfmt::skip]
const OWN: &[Fault] = &[
    // faults of 0.73, played on what this version has
    response("messages-miscounted", "the state counts the messages wrong", &[("/command", "get_state"), ("/data/messageCount", "3")], Op::Set("/data/messageCount", "7"), &["scenario:session/new", "scenario:session/switch", "state-counts-messages"]),
    event("no-agent-end", "a run has no `agent_end`", "agent_end", Op::Drop, &["run-ends", "run-envelope", "settled-outside-runs", "scenario:startup/end-of-file-during-a-run"]).when(&[("/messages/2/stopReason", "stop")]),
    event("message-after-run", "a message begins behind the `agent_end`", "agent_end", Op::After(r#"{"type":"message_start","message":"$/messages/1"}"#), &["message-in-turn", "message-envelope"]).later(),
    event("user-message-before-turn", "a user message begins before its turn", "turn_start", Op::Before(r#"{"type":"message_start","message":{"role":"user","content":"hi","timestamp":1764547200000}}"#), &["message-in-turn", "message-envelope"]).later(),
    response("messages-without-role", "a message of the session has no role", &[("/command", "get_messages"), ("/data/messages/1/role", "user")], Op::Remove("/data/messages/1/role"), &["schema/response.get_messages", "history-told", "scenario:session/messages"]),

    // queues
    response("cleared-queue-half", "clear_queue tells one queue only", QUEUE, Op::Remove("/data/followUp"), &["schema/response.clear_queue"]),
    response("cleared-queue-forgotten", "clear_queue does not tell what was queued", &[("/command", "clear_queue"), ("/data/steering/0", "look left")], Op::Set("/data/steering", "[]"), &["scenario:queue/clear"]),

    bug("queue-ends-with-an-abort", "an abort forgets what is queued", Bug::QueueEndsWithStop).caught_by(&["scenario:abort/keeps-the-queue"]),

    // thinking
    response("no-levels", "no thinking level is available", LEVELS, Op::Set("/data/levels", "[]"), &["schema/response.get_available_thinking_levels"]),
    response("unknown-level-available", "a thinking level is none of the page", LEVELS, Op::Set("/data/levels/0", "\"extreme\""), &["schema/response.get_available_thinking_levels"]),
    response("levels-without-reasoning", "a model that cannot think has levels", &[("/command", "get_available_thinking_levels"), ("/data/levels/1", ABSENT)], Op::Set("/data/levels", r#"["off","low"]"#), &["scenario:thinking/available-without-reasoning"]),
    event("level-change-untold", "a change of the level is not told", "thinking_level_changed", Op::Drop, &["level-told", "scenario:thinking/change-is-told"]).at_start().later(),
    event("old-level-told", "`thinking_level_changed` tells another level", "thinking_level_changed", Op::Set("/level", "\"minimal\""), &["level-told", "scenario:thinking/change-is-told"]).at_start().every().later(),
    event("level-change-without-level", "`thinking_level_changed` has no level", "thinking_level_changed", Op::Remove("/level"), &["schema/thinking_level_changed"]).at_start(),

    // the session
    response("state-model-is-null", "the state has null for a model", &[("/command", "get_state"), ("/success", "true")], Op::Set("/data/model", "null"), &["schema/response.get_state"]),
    start("name-of-the-flag-ignored", "the flags do not name the session", Effect::Options(|options| options.name = None)).caught_by(&["scenario:startup/name-of-the-flags"]),
    start("takes-files", "a file argument is taken", Effect::Options(|options| options.files.clear())).caught_by(&["scenario:startup/file-arguments"]),
    response("compacted-entries-lost", "the entries before a compaction are lost", &[("/command", "get_entries"), ("/success", "true")], Op::Change(compacted), &["scenario:session/entries-after-a-compaction", "entries-chained", "entries-of-messages"]).every(),
    response("entries-without-leaf", "get_entries does not tell the leaf", ENTRIES, Op::Remove("/data/leafId"), &["schema/response.get_entries", "scenario:session/entries", "scenario:session/tree"]),
    response("entry-without-parent", "an entry has no parentId", ENTRIES, Op::Remove("/data/entries/0/parentId"), &["schema/response.get_entries"]),
    response("entry-time-in-milliseconds", "an entry's timestamp is a number", ENTRIES, Op::Set("/data/entries/0/timestamp", "1764547200000"), &["schema/response.get_entries"]),
    response("entries-behind-the-cursor-lost", "the entries behind the cursor are lost", &[("/command", "get_entries"), ("/id", "f")], Op::Set("/data/entries", "[]"), &["scenario:session/entries"]),
    response("unknown-cursor-accepted", "a cursor that is no entry is accepted", &[("/command", "get_entries"), ("/success", "false")], Op::Set("/success", "true"), &["scenario:session/entries-since-nothing", "schema/response.get_entries"]),
    response("tree-without-children", "a node of the tree has no children", TREE, Op::Remove("/data/tree/0/children"), &["schema/response.get_tree", "scenario:session/tree", "tree-of-entries"]),
    response("tree-is-flat", "the tree has its root only", TREE, Op::Set("/data/tree/0/children", "[]"), &["scenario:session/tree", "tree-of-entries"]),
    event("name-change-untold", "a change of the session's name is not told", "session_info_changed", Op::Drop, &["scenario:session/name"]).at_start().later(),
    event("name-change-is-null", "`session_info_changed` has the name null", "session_info_changed", Op::Set("/name", "null"), &["schema/session_info_changed", "scenario:session/name"]).at_start(),
    event("appended-entry-untold", "an entry that an extension appends is not told", "entry_appended", Op::Drop, &["scenario:extensions/appends-an-entry"]).at_start().later(),
    event("appended-entry-without-id", "an entry that an extension appends has no id", "entry_appended", Op::Remove("/entry/id"), &["schema/entry_appended"]).at_start(),
    event("session-header", "a session header comes as in the JSON mode", "agent_start", Op::Before(r#"{"type":"session","version":3,"id":"x","timestamp":"2025-12-01T00:00:00.000Z","cwd":"/"}"#), &["no-session-header", "unknown-event", "event-without-id"]),
    start("shutdown-forgotten", "the agent goes on when an extension has shut it down", Effect::Bug(Bug::ShutdownForgotten)).caught_by(&["scenario:extensions/shuts-down"]),
    response("command-without-source-info", "a command does not say where it comes from", COMMANDS, Op::Remove("/data/commands/0/sourceInfo"), &["schema/response.get_commands", "scenario:commands/listed"]),
    response("command-of-no-known-scope", "a command is for somebody else", COMMANDS, Op::Set("/data/commands/0/sourceInfo/scope", "\"global\""), &["schema/response.get_commands"]),

    // runs
    event("never-settles", "`agent_settled` never comes", "agent_settled", Op::Drop, &["settles", "scenario:run/settles"]).every().later(),
    event("settles-twice", "`agent_settled` comes twice", "agent_settled", Op::Twice, &["settled-once"]),
    event("settles-in-the-run", "`agent_settled` comes in the middle of a run", "turn_start", Op::Before(r#"{"type":"agent_settled"}"#), &["settled-outside-runs", "settled-once", "settled-is-last"]).later(),
    event("settles-before-the-retry", "`agent_settled` comes before a retry", "auto_retry_start", Op::Before(r#"{"type":"agent_settled"}"#), &["settled-is-last", "will-retry", "settled-once", "scenario:run/settles-after-a-retry"]).later(),
    event("agent-end-without-will-retry", "`agent_end` does not say whether it is tried again", "agent_end", Op::Remove("/willRetry"), &["schema/agent_end"]),
    event("will-not-retry", "`agent_end` says that it is not tried again, and it is", "agent_end", Op::Set("/willRetry", "false"), &["retry-announced", "scenario:run/settles-after-a-retry"]).when(&[("/willRetry", "true")]).later(),
    event("run-will-retry-and-does-not", "`agent_end` says that it is tried again, and it is not", "agent_end", Op::Set("/willRetry", "true"), &["will-retry", "scenario:run/settles"]).when(&[("/willRetry", "false")]).later(),
    event("abort-does-not-wait", "abort is answered while the run goes on", "agent_end", Op::Late("response"), &["abort-waits", "scenario:abort/waits-until-idle", "settled-outside-runs", "run-envelope", "run-messages"]).later(),
    event("ends-pending", "a message that has ended is still pending", "message_end", Op::Set("/message/stopReason", "\"pending\""), &["terminal-stop-reason", "turn-end-message", "run-messages"]).when(&[("/message/stopReason", "stop")]),
    event("instructions-without-content", "the message of role system has no content", "message_start", Op::Remove("/message/content"), &["schema/message_start", "same-message"]).when(&[("/message/role", "system")]),

    // bash
    taken("exclusion-ignored", "output that is excluded from the context reaches the model", |c| lose(c, "bash", "excludeFromContext"), &["scenario:bash/excluded-from-the-context"]),
    event("output-untold", "the output of a shell command is told at its end only", "bash_execution_update", Op::Drop, &["scenario:bash/output-streams", "bash-output-told"]).at_start().every().later(),
    event("output-told-twice", "a piece of the output is told twice", "bash_execution_update", Op::Twice, &["bash-output-told"]).at_start().later(),
    event("output-of-a-stranger", "output has the id of no command", "bash_execution_update", Op::Set("/id", "\"stranger\""), &["bash-update-asked", "bash-output-told"]).when(&[("/id", "a")]).at_start(),
    event("output-without-its-id", "output leaves the id of its command out", "bash_execution_update", Op::Remove("/id"), &["bash-update-bare", "bash-output-told"]).when(&[("/id", "a")]).at_start(),
    event("output-without-delta", "`bash_execution_update` has no delta", "bash_execution_update", Op::Remove("/delta"), &["schema/bash_execution_update", "bash-output-told"]).at_start(),

    // compaction
    event("compacts-though-switched-off", "there is an automatic compaction though it was switched off", "agent_end", Op::Behind(&[
        r#"{"type":"compaction_start","reason":"threshold"}"#,
        r#"{"type":"compaction_end","reason":"threshold","aborted":false,"willRetry":false,"errorMessage":"none"}"#,
    ]), &["compaction-off", "scenario:compact/switched-off"]).when(&[("/messages/0/content/0/text", "and now")]).later(),
    event("compaction-without-an-estimate", "a compaction does not say how much is left", "compaction_end", Op::Remove("/result/estimatedTokensAfter"), &["schema/compaction_end", "compaction-response", "scenario:compact/manual"]).when(&[("/reason", "manual"), ("/aborted", "false")]),
    event("failed-compaction-is-null", "a compaction that failed has null for a result", "compaction_end", Op::Set("/result", "null"), &["schema/compaction_end"]).when(&[("/result", ABSENT)]),
    event("summary-retry-without-delay", "a scheduled retry does not say how long it waits", "summarization_retry_scheduled", Op::Remove("/delayMs"), &["schema/summarization_retry_scheduled", "scenario:compact/summary-is-tried-again"]),
    event("summary-retry-beyond-the-last", "there are more attempts than at most", "summarization_retry_scheduled", Op::Set("/attempt", "9"), &["summary-retry-attempts", "scenario:compact/summary-is-tried-again"]),
    event("summary-retry-for-nothing", "an attempt at a summary has no reason", "summarization_retry_attempt_start", Op::Remove("/reason"), &["schema/summarization_retry_attempt_start", "scenario:compact/summary-is-tried-again"]),
    event("summary-retry-starts-unscheduled", "an attempt at a summary starts that was not scheduled", "summarization_retry_scheduled", Op::Drop, &["summary-retry", "scenario:compact/summary-is-tried-again"]).later(),
    event("summary-retry-never-finishes", "trying a summary again never finishes", "summarization_retry_finished", Op::Drop, &["summary-retry", "scenario:compact/summary-is-tried-again"]).later(),
];

/// Leaves the entries from the last compaction on.
fn compacted(frame: &mut Value) {
    if let Some(entries) = frame["data"]["entries"].as_array_mut()
        && let Some(last) = entries
            .iter()
            .rposition(|entry| entry["type"] == "compaction")
    {
        entries.drain(..last);
    }
}
