//! Sessions, their entries, names and thinking levels; extensions.

use super::common::{When, changed_command, event, remove_member, response};
use crate::faults::{ABSENT, Bug, Fault, FaultEffect, Op, bug, start};
use serde_json::{Value, json};

const STATE: When = &[("/command", "get_state"), ("/success", "true")];
const STATS: When = &[("/command", "get_session_stats"), ("/success", "true")];
const RETRIED: When = &[("/success", "true")];

/// Gives the last message another time.
fn rewrite(response: &mut Value) {
    if let Some(last) = response
        .pointer_mut("/data/messages")
        .and_then(Value::as_array_mut)
        .and_then(|messages| messages.last_mut())
    {
        last["timestamp"] = json!(1_764_547_299_999_u64);
    }
}

#[rustfmt::skip]
pub(super) const SESSIONS: &[Fault] = &[
    response("steer-unanswered", "`steer` is not answered", &[("/command", "steer"), ("/success", "true")], Op::Drop, &["queued-answered", "answered", "scenario:queue/steer-after-the-tools", "scenario:queue/steers-one-at-a-time"]).later(),
    response("change-of-session-unanswered", "`new_session` is not answered", &[("/command", "new_session")], Op::Drop, &["session-answered", "scenario:session/new", "answered"]).later(),
    response("compact-unanswered", "`compact` is not answered", &[("/command", "compact"), ("/success", "true")], Op::Drop, &["compact-answered", "scenario:compact/manual", "answered"]).later(),
    event("manual-end-untold", "the end of a compaction that was asked for is not told", "compaction_end", Op::Drop, &["compaction-told", "compaction-envelope", "scenario:compact/manual"]).when(&[("/reason", "manual")]).later(),
    event("empty-queue-untold", "that the queue is empty again is not told", "queue_update", Op::Drop, &["state-of-queue"]).when(&[("/steering", "[]"), ("/followUp", "[]")]).every().later(),
    event("queued-twice", "the queue holds a message twice", "queue_update", Op::Set("/steering", r#"["backwards now","backwards now"]"#), &["queue-contents"]).when(&[("/steering/0", "backwards now")]),
    response("pending-of-nothing", "the state counts messages that nobody queued", STATE, Op::Set("/data/pendingMessageCount", "4"), &["nothing-pending"]),
    response("model-of-another-provider", "`set_model` tells another provider's model", &[("/command", "set_model"), ("/success", "true")], Op::Set("/data/provider", "\"nobody\""), &["model-as-asked", "scenario:model/set"]),
    response("session-of-another-id", "the statistics are of another session", STATS, Op::Set("/data/sessionId", "\"another\""), &["same-session"]),
    response("history-rewritten", "the conversation tells another message than its run did", &[("/command", "get_messages"), ("/id", "m"), ("/success", "true")], Op::Change(rewrite), &["history-told"]),
    response("fork-of-another-text", "a fork tells another message than was chosen", &[("/command", "fork"), ("/data/cancelled", "false")], Op::Set("/data/text", "\"another\""), &["fork-text", "scenario:session/fork"]),
    response("messages-do-not-add-up", "there are fewer messages in all than of the user", &[("/command", "get_session_stats"), ("/data/userMessages", "1")], Op::Set("/data/totalMessages", "0"), &["stats-add-up", "scenario:session/stats"]),
    event("retry-success-untold", "retries that worked do not end", "auto_retry_end", Op::Drop, &["retry-success-told", "retry-ends", "retry-envelope"]).when(RETRIED).later(),
    event("retries-miscounted", "`auto_retry_end` counts an attempt that never started", "auto_retry_end", Op::Set("/attempt", "3"), &["retry-end-attempt"]).when(RETRIED),
    event("failure-is-success", "retries that failed end with success", "auto_retry_end", Op::Set("/success", "true"), &["retry-end-success", "schema/auto_retry_end"]).when(&[("/success", "false")]),
];

#[rustfmt::skip]
pub(super) const EXTENSIONS: &[Fault] = &[
    event("extension-error-without-path", "an extension's error does not say whose", "extension_error", Op::Remove("/extensionPath"), &["schema/extension_error"]).at_start(),
    event("dialog-asked-twice", "a dialog comes twice under one id", "extension_ui_request", Op::Twice, &["dialog-answered", "answered"]).at_start(),
    event("dialog-without-id", "a dialog has no id", "extension_ui_request", Op::Remove("/id"), &["schema/extension_ui_request"]).at_start().when(&[("/method", "notify")]),
    event("unknown-method", "an extension uses a method that the page does not have", "extension_ui_request", Op::Set("/method", "\"shout\""), &["unknown-method", "answered"]).at_start().when(&[("/method", "notify")]),
    event("select-without-options", "select has nothing to choose from", "extension_ui_request", Op::Remove("/options"), &["schema/extension_ui_request.select", "answered"]).at_start().when(&[("/method", "select")]),
    event("notice-of-no-known-kind", "a notice is of a kind of its own", "extension_ui_request", Op::Set("/notifyType", "\"fatal\""), &["schema/extension_ui_request.notify"]).at_start().when(&[("/method", "notify")]),
    event("extension-error-lost", "an extension's error is not told", "extension_error", Op::Drop, &["scenario:extensions/command-throws"]).at_start(),
    event("confirm-without-message", "confirm says no message", "extension_ui_request", Op::Remove("/message"), &["schema/extension_ui_request.confirm", "answered"]).at_start().when(&[("/method", "confirm")]),
    event("input-without-title", "input has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.input", "answered"]).at_start().when(&[("/method", "input")]),
    event("editor-without-title", "editor has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.editor", "answered"]).at_start().when(&[("/method", "editor")]),
    event("status-without-key", "setStatus does not say which entry", "extension_ui_request", Op::Remove("/statusKey"), &["schema/extension_ui_request.setStatus"]).at_start().when(&[("/method", "setStatus")]),
    event("widget-is-a-text", "the lines of a widget are one text", "extension_ui_request", Op::Set("/widgetLines", "\"one\""), &["schema/extension_ui_request.setWidget"]).at_start().when(&[("/method", "setWidget")]),
    event("title-is-missing", "setTitle has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.setTitle"]).at_start().when(&[("/method", "setTitle")]),
    event("editor-text-is-missing", "set_editor_text has no text", "extension_ui_request", Op::Remove("/text"), &["schema/extension_ui_request.set_editor_text"]).at_start().when(&[("/method", "set_editor_text")]),
];

const QUEUE: When = &[("/command", "clear_queue"), ("/success", "true")];
const LEVELS: When = &[("/command", "get_available_thinking_levels")];
const ENTRIES: When = &[
    ("/command", "get_entries"),
    ("/success", "true"),
    ("/id", "e"),
];
const TREE: When = &[("/command", "get_tree")];
const COMMANDS: When = &[
    ("/command", "get_commands"),
    ("/data/commands/0/source", "extension"),
];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_87: &[Fault] = &[
    // like faults of 0.73
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
    start("name-of-the-flag-ignored", "the flags do not name the session", FaultEffect::Options(|options| options.name = None)).caught_by(&["scenario:startup/name-of-the-flags"]),
    start("takes-files", "a file argument is taken", FaultEffect::Options(|options| options.files.clear())).caught_by(&["scenario:startup/file-arguments"]),
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
    start("shutdown-forgotten", "the agent goes on when an extension has shut it down", FaultEffect::Bug(Bug::ShutdownForgotten)).caught_by(&["scenario:extensions/shuts-down"]),
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
    changed_command("exclusion-ignored", "output that is excluded from the context reaches the model", |c| remove_member(c, "bash", "excludeFromContext"), &["scenario:bash/excluded-from-the-context"]),
    event("output-untold", "the output of a shell command is told at its end only", "bash_execution_update", Op::Drop, &["scenario:bash/output-streams", "bash-output-told"]).at_start().every().later(),
    event("output-told-twice", "a piece of the output is told twice", "bash_execution_update", Op::Twice, &["bash-output-told"]).at_start().later(),
    event("output-of-a-stranger", "output has the id of no command", "bash_execution_update", Op::Set("/id", "\"stranger\""), &["bash-update-asked", "bash-output-told"]).when(&[("/id", "a")]).at_start(),
    event("output-without-its-id", "output leaves the id of its command out", "bash_execution_update", Op::Remove("/id"), &["bash-update-bare", "bash-output-told"]).when(&[("/id", "a")]).at_start(),
    event("output-without-delta", "`bash_execution_update` has no delta", "bash_execution_update", Op::Remove("/delta"), &["schema/bash_execution_update", "bash-output-told"]).at_start(),

    // compaction
    event("compacts-though-switched-off", "there is an automatic compaction though it was switched off", "agent_end", Op::FramesAfter(&[
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

/// Removes the entries before the last compaction.
fn compacted(frame: &mut Value) {
    if let Some(entries) = frame["data"]["entries"].as_array_mut()
        && let Some(last) = entries
            .iter()
            .rposition(|entry| entry["type"] == "compaction")
    {
        entries.drain(..last);
    }
}
