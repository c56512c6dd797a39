//! Wrong values: of the session, its statistics, models, dialogs, entries, levels and usage.

use super::common::{V0_73, V0_87, When, changed_command, duplicate_elements, event, response};
use crate::faults::{Bug, Fault, FaultEffect, Op, frame, start, trim};
use serde_json::{Value, json};

const STATE: When = &[("/command", "get_state"), ("/success", "true")];
const STATS: When = &[("/command", "get_session_stats"), ("/success", "true")];
const MODELS: When = &[("/command", "get_available_models"), ("/success", "true")];
const MESSAGES: When = &[("/command", "get_messages"), ("/id", "m")];
const FORKS: When = &[
    ("/command", "get_fork_messages"),
    ("/data/messages/1/text", "tell of another"),
];
const COMMANDS: When = &[
    ("/command", "get_commands"),
    ("/data/commands/0/source", "extension"),
];
const LAST: When = &[("/command", "get_last_assistant_text"), ("/id", "c")];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    // the state
    response("idle-and-streaming", "the state says that a run goes on before there is any", STATE, Op::Set("/data/isStreaming", "true"), &["idle-state", "scenario:session/new-is-empty"]),
    response("one-message-more", "the state counts one message more than there are, and one for instructions", &[("/command", "get_state"), ("/data/messageCount", "7")], Op::Set("/data/messageCount", "9"), &["state-counts-messages", "scenario:session/read-after-tools"]).only_in(V0_73),
    response("one-session-for-all", "every session has the same id", STATE, Op::Set("/data/sessionId", "\"the-session\""), &["new-session-id", "same-session", "scenario:session/new", "scenario:session/clone", "scenario:session/switch-back", "scenario:session/ids-of-two-processes"]).every(),
    response("statistics-of-another-session", "the statistics are of another session than the state", STATS, Op::Set("/data/sessionId", "\"another\""), &["same-session"]).every(),
    response("name-outlives-its-session", "a new session has the name of the old one", &[("/command", "get_state"), ("/id", "t"), ("/data/messageCount", "0")], Op::Set("/data/sessionName", "\"first walk\""), &["new-session-nameless", "scenario:session/switch-back"]),
    response("name-lost-on-disk", "a session that is loaded again has no name", &[("/command", "get_state"), ("/id", "u")], Op::Remove("/data/sessionName"), &["scenario:session/switch-back"]),
    response("old-name-told", "the state tells the first name of the session", &[("/command", "get_state"), ("/id", "e")], Op::Set("/data/sessionName", "\"the first name\""), &["state-of-session", "scenario:session/renamed"]).caught_in(V0_87, &["state-of-session", "scenario:session/renamed", "name-told"]),
    response("level-forgotten", "the level is another one after the second run", &[("/command", "get_state"), ("/id", "t"), ("/data/thinkingLevel", "high")], Op::Set("/data/thinkingLevel", "\"medium\""), &["state-of-model", "scenario:thinking/lasts"]).caught_in(V0_87, &["state-of-model", "scenario:thinking/lasts", "level-told"]),
    response("level-of-nothing-known", "after a level that does not exist no other is told", &[("/command", "get_state"), ("/id", "s"), ("/data/thinkingLevel", "medium")], Op::Set("/data/thinkingLevel", "\"low\""), &["state-of-model", "scenario:thinking/no-such-level"]).caught_in(V0_87, &["state-of-model", "scenario:thinking/no-such-level", "level-told"]),
    response("mode-of-nothing-known", "after a mode that does not exist no other is told", &[("/command", "get_state"), ("/data/followUpMode", "all"), ("/data/steeringMode", "all")], Op::Set("/data/followUpMode", "\"one-at-a-time\""), &["state-of-modes", "scenario:queue/no-such-mode"]),
    response("never-compacting", "the state never says that a compaction goes on", &[("/command", "get_state"), ("/data/isCompacting", "true")], Op::Set("/data/isCompacting", "false"), &["scenario:compact/state-while-it-runs"]),
    event("message-of-another-model", "a message is of another model than the one that is set", "message_end", Op::Set("/message/model", "\"mock-a\""), &["runs-of-the-model", "same-speaker", "turn-end-message", "run-messages", "scenario:model/lasts", "scenario:model/set", "scenario:model/cycle-around"]).when(&[("/message/model", "mock-o")]),
    start("model-for-one-run", "a model that was set is forgotten after its first run", FaultEffect::Bug(Bug::ModelForOneRun)).caught_by(&["scenario:model/lasts", "runs-of-the-model"]),

    // lists
    response("models-doubled", "every model is listed twice", MODELS, Op::Change(|frame| duplicate_elements(frame, "/data/models")), &["models-once"]),
    response("commands-doubled", "every command is listed twice", COMMANDS, Op::Change(|frame| duplicate_elements(frame, "/data/commands")), &["commands-once"]),
    response("fork-messages-doubled", "every message to fork from is listed twice", FORKS, Op::Change(|frame| duplicate_elements(frame, "/data/messages")), &["fork-messages-once", "fork-messages-told", "scenario:session/messages", "scenario:session/fork", "scenario:session/fork-of-the-first", "scenario:session/fork-is-read"]),
    response("fork-messages-of-one-entry", "every message to fork from has the entry of the first", FORKS, Op::Change(one_entry), &["fork-messages-once", "fork-text", "scenario:session/fork", "scenario:session/fork-is-read"]),
    response("messages-doubled", "every message of the session is told twice", MESSAGES, Op::Change(|frame| duplicate_elements(frame, "/data/messages")), &["history-told-once", "scenario:session/messages", "scenario:session/read-after-tools", "scenario:session/fork-is-read"]),
    response("messages-reversed", "the messages of the session are told from the last on", MESSAGES, Op::Change(reversed), &["history-told", "scenario:session/messages"]),
    response("results-left-out", "the results of tools are not among the messages", MESSAGES, Op::Change(without_results), &["history-told", "scenario:session/read-after-tools", "scenario:session/clone-is-read"]),
    response("clone-loses-the-last", "a clone has not the last message", &[("/command", "get_messages"), ("/id", "n")], Op::Change(|frame| shorten(frame, "/data/messages")), &["scenario:session/clone-is-read"]),
    response("fork-keeps-its-message", "a fork of the first message still has a message to fork from", &[("/command", "get_fork_messages"), ("/id", "g"), ("/data/messages", "[]")], Op::Set("/data/messages", r#"[{"entryId":"1","text":"tell of one bird"}]"#), &["scenario:session/fork-of-the-first"]),
    response("path-is-relative", "the file of a command is told by a relative path", COMMANDS, Op::Set("/data/commands/0/path", "\"dialogs.js\""), &["command-paths"]).only_in(V0_73),
    response("defaults-swapped", "messages are delivered all at once unless it was set", &[("/command", "get_state"), ("/id", "s"), ("/data/followUpMode", "one-at-a-time")], Op::Set("/data/followUpMode", "\"all\""), &["scenario:queue/modes-are-two"]),
    response("both-modes-are-the-last", "both queues have the mode that was set last", &[("/command", "get_state"), ("/data/steeringMode", "all")], Op::Set("/data/followUpMode", "\"all\""), &["scenario:queue/modes-are-two", "state-of-modes"]),
    response("shell-messages-left-out", "the messages of shell commands are not told", &[("/command", "get_messages"), ("/data/messages/0/role", "bashExecution")], Op::Set("/data/messages", "[]"), &["scenario:bash/message-is-kept", "scenario:bash/excluded-from-the-context"]),
    response("model-of-the-list-is-smaller", "the list of models tells another window", MODELS, Op::Set("/data/models/0/contextWindow", "128000"), &["scenario:model/available"]),
    response("cycles-to-a-level-of-other-models", "cycle_thinking_level goes on to xhigh, which the model does not have", &[("/command", "cycle_thinking_level"), ("/id", "c1")], Op::Set("/data/level", "\"xhigh\""), &["scenario:thinking/cycle-around"]).later().only_in(V0_73),
    response("level-of-the-cycle", "cycle_model tells another level than the state", &[("/command", "cycle_model"), ("/id", "c")], Op::Set("/data/thinkingLevel", "\"minimal\""), &["state-of-model"]).later(),
    response("fork-text-in-one-line", "fork tells the message in one line", &[("/command", "fork"), ("/id", "k")], Op::Change(in_one_line), &["fork-text", "scenario:session/fork-of-the-third"]),
    response("clone-in-the-same-file", "a clone is kept in the file of its original", STATE, Op::Set("/data/sessionFile", "\"/tmp/one.jsonl\""), &["scenario:session/clone", "scenario:session/two-sessions-side-by-side", "scenario:session/switch-back", "scenario:session/ids-of-two-processes", "scenario:session/switch"]).every(),
    response("pending-in-a-new-session", "what was queued is pending in a new session", &[("/command", "get_state"), ("/id", "t"), ("/data/pendingMessageCount", "0")], Op::Set("/data/pendingMessageCount", "2"), &["scenario:session/new-drops-the-queue", "nothing-pending"]),
    response("skill-by-its-bare-name", "a skill is listed by its bare name", &[("/command", "get_commands"), ("/data/commands/2/source", "skill")], Op::Set("/data/commands/2/name", "\"birds\""), &["skill-names", "scenario:commands/listed"]),

    response("model-missing", "the last model is not listed", MODELS, Op::Change(|frame| shorten(frame, "/data/models")), &["scenario:model/available"]),
    response("fork-message-trimmed", "the messages to fork from are told without the blanks around them", &[("/command", "get_fork_messages"), ("/id", "blanks")], Op::Set("/data/messages/1/text", "\"tell of another\""), &["scenario:session/fork-text-is-exact", "fork-messages-told", "fork-text"]),
    response("thinking-left-out", "the thinking of the model is not among the messages", &[("/command", "get_messages"), ("/data/messages/1/content/0/type", "thinking")], Op::Set("/data/messages/1/content", r#"[{"type":"text","text":"the dunlin flew over the estuary"}]"#), &["scenario:session/messages-with-thinking", "history-told"]).only_in(V0_73),
    response("last-text-of-the-first-block", "the last text is that of the first block", &[("/command", "get_last_assistant_text"), ("/id", "blocks")], Op::Set("/data/text", "\"the dunlin flew over the estuary\""), &["scenario:session/last-text-of-two-blocks", "last-text-told"]),
    response("page-elsewhere", "an export tells another file than it wrote", &[("/command", "export_html"), ("/id", "unnamed")], Op::Set("/data/path", "\"elsewhere.html\""), &["scenario:session/export-without-a-path"]),
    response("original-loses-its-end", "the session that was forked has not its last message", &[("/command", "get_messages"), ("/id", "original")], Op::Change(|frame| shorten(frame, "/data/messages")), &["scenario:session/fork-leaves-the-old-session", "history-told"]),
    response("built-in-command-listed", "a built-in command is listed", COMMANDS, Op::Set("/data/commands/0/name", "\"settings\""), &["scenario:commands/listed"]),
    event("message-of-another-api", "a message tells another API than its model", "message_end", Op::Set("/message/api", "\"anthropic-messages\""), &["runs-of-the-model", "same-speaker", "turn-end-message", "run-messages"]).when(&[("/message/model", "mock-o")]),

    // the last text
    response("last-text-only-once", "the last text is told only the first time", LAST, Op::Set("/data/text", "null"), &["last-text-told", "scenario:session/last-text-follows"]),
    response("last-text-of-the-call", "the last text is that of the message that called a tool", &[("/command", "get_last_assistant_text"), ("/id", "b")], Op::Set("/data/text", "\"Let me look.\""), &["last-text-told", "scenario:session/last-text-follows"]),
    response("last-text-in-one-line", "the last text loses its lines", LAST, Op::Change(in_one_line), &["last-text-told", "scenario:session/last-text-follows"]),
    response("no-text-is-empty", "without an assistant message the last text is empty", &[("/command", "get_last_assistant_text"), ("/data/text", "null")], Op::Set("/data/text", "\"\""), &["no-text-is-null"]),
    response("last-text-outlives-its-session", "a new session has the last text of the old one", &[("/command", "get_last_assistant_text"), ("/id", "o")], Op::Set("/data/text", "\"the dunlin flew over the estuary\""), &["no-text-is-null", "scenario:session/no-last-text"]),

    // statistics
    response("users-doubled", "the statistics count every message of the user twice", STATS, Op::Change(|frame| add(frame, "/data/userMessages", 1)), &["stats-count", "stats-add-up", "scenario:session/stats", "scenario:session/new-is-empty", "scenario:session/read-after-tools"]),
    response("statistics-outlive-their-session", "the statistics of a new session are those of the old one", &[("/command", "get_session_stats"), ("/id", "t"), ("/data/totalMessages", "0")], Op::Change(|frame| { add(frame, "/data/tokens/input", 1000); add(frame, "/data/tokens/total", 1000); }), &["stats-tokens", "scenario:session/new-is-empty"]),
    response("statistics-without-a-cache", "the statistics leave the cache out", &[("/command", "get_session_stats"), ("/data/tokens/cacheRead", "90000")], Op::Change(without_cache), &["stats-tokens", "scenario:session/stats-with-a-cache"]),
    response("cost-of-twice-as-much", "the statistics have twice the cost", STATS, Op::Change(|frame| multiply(frame, "/data/cost", 2.0)), &["stats-cost", "scenario:session/stats-with-a-cache"]),
    response("percent-is-a-fraction", "the percent is told as a fraction", &[("/command", "get_session_stats"), ("/id", "s")], Op::Change(|frame| multiply(frame, "/data/contextUsage/percent", 0.01)), &["context-percent"]),
    response("window-of-another-model", "the window of contextUsage is not that of the model", STATS, Op::Set("/data/contextUsage/contextWindow", "128000"), &["context-window", "context-percent", "scenario:session/stats", "scenario:session/stats-with-a-cache", "scenario:session/stats-after-a-compaction"]).every(),
    response("context-of-nothing", "the context has no tokens after a run", &[("/command", "get_session_stats"), ("/data/userMessages", "2"), ("/data/contextUsage/contextWindow", "200000")], Op::Change(|frame| { multiply(frame, "/data/contextUsage/tokens", 0.0); multiply(frame, "/data/contextUsage/percent", 0.0); }), &["context-known", "scenario:session/stats-with-a-cache", "scenario:compact/usage-behind-it"]),
    response("context-never-known-again", "the context is unknown behind a compaction for good", &[("/command", "get_session_stats"), ("/id", "u")], Op::Set("/data/contextUsage/tokens", "null"), &["scenario:compact/usage-behind-it"]),
    response("context-guessed", "contextUsage has a percent right after a compaction", &[("/command", "get_session_stats"), ("/data/contextUsage/tokens", "null")], Op::Set("/data/contextUsage/percent", "5"), &["context-unknown", "scenario:session/stats-after-a-compaction", "scenario:compact/usage-behind-it"]),
    frame("costs-doubled", "every message costs twice as much", "", Op::Change(|frame| costs(frame, |cost| for part in PARTS { multiply(cost, part, 2.0); }))).every().at_start().caught_by(&["cost-at-rates", "scenario:session/stats-with-a-cache"]),
    frame("cost-without-a-cache", "the total of the cost leaves the cache out", "", Op::Change(|frame| costs(frame, |cost| {
        let part = |name: &str| cost[name].as_f64().unwrap_or_default();
        cost["total"] = json!(part("input") + part("output"));
    }))).every().at_start().caught_by(&["cost-total", "scenario:session/stats-with-a-cache"]),

    // compactions, the page, and dialogs
    changed_command("instructions-end-with-their-line", "only the first line of the instructions is used", |command| {
        if let Some(text) = command["customInstructions"].as_str() {
            command["customInstructions"] = json!(text.lines().next());
        }
    }, &["scenario:compact/instructions-of-several-lines"]),
    start("exported-page-is-empty", "the exported page has no messages", FaultEffect::Bug(Bug::ExportsNothing)).caught_by(&["scenario:session/export-holds-the-conversation"]),
    event("prefill-is-trimmed", "the text of an editor loses the blanks around it", "extension_ui_request", Op::Change(|frame| trim(frame, "/prefill")), &["scenario:extensions/texts-of-several-lines"]).when(&[("/method", "editor")]).at_start(),
    changed_command("answers-are-trimmed", "the answer to a dialog loses the blanks around it", |command| {
        if command["type"] == "extension_ui_response" {
            trim(command, "/value");
        }
    }, &["scenario:extensions/texts-of-several-lines"]),
    start("answers-of-strangers", "an answer goes to the first dialog, whatever its id", FaultEffect::Bug(Bug::AnswerGoesToFirstDialog)).caught_by(&["scenario:extensions/two-dialogs-at-once", "scenario:extensions/answer-of-a-stranger"]),
];

const PARTS: [&str; 5] = ["/input", "/output", "/cacheRead", "/cacheWrite", "/total"];

/// Removes the last element of a list.
fn shorten(frame: &mut Value, pointer: &str) {
    if let Some(Value::Array(items)) = frame.pointer_mut(pointer) {
        items.pop();
    }
}

fn reversed(frame: &mut Value) {
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/messages") {
        items.reverse();
    }
}

fn without_results(frame: &mut Value) {
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/messages") {
        items.retain(|item| item["role"] != "toolResult");
    }
}

fn one_entry(frame: &mut Value) {
    let first = frame["data"]["messages"][0]["entryId"].clone();
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/messages") {
        items
            .iter_mut()
            .for_each(|item| item["entryId"] = first.clone());
    }
}

fn in_one_line(frame: &mut Value) {
    if let Some(Value::String(text)) = frame.pointer_mut("/data/text") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

fn add(frame: &mut Value, pointer: &str, more: u64) {
    if let Some(place) = frame.pointer_mut(pointer) {
        *place = json!(place.as_u64().unwrap_or_default() + more);
    }
}

fn multiply(frame: &mut Value, pointer: &str, factor: f64) {
    if let Some(place) = frame.pointer_mut(pointer)
        && let Some(number) = place.as_f64()
    {
        *place = json!(number * factor);
    }
}

fn without_cache(frame: &mut Value) {
    let tokens = &mut frame["data"]["tokens"];
    let part = |name: &str| tokens[name].as_u64().unwrap_or_default();
    let total = part("input") + part("output");
    tokens["cacheRead"] = json!(0);
    tokens["cacheWrite"] = json!(0);
    tokens["total"] = json!(total);
}

/// Changes the cost of every message, at any depth.
fn costs(value: &mut Value, change: fn(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| costs(item, change)),
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "usage" if member["cost"].is_object() => change(&mut member["cost"]),
                    _ => costs(member, change),
                }
            }
        }
        _ => {}
    }
}

const ENTRIES: When = &[("/command", "get_entries"), ("/id", "e")];
const TREE: When = &[("/command", "get_tree"), ("/id", "t")];
const LATER: When = &[("/command", "get_entries"), ("/id", "g")];
const LEVELS: When = &[("/command", "get_available_thinking_levels")];
const QUEUE: When = &[("/command", "clear_queue"), ("/id", "c")];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_87: &[Fault] = &[
    // like faults of 0.73
    response("one-message-more", "the state counts more messages than there are", &[("/command", "get_state"), ("/data/messageCount", "8")], Op::Set("/data/messageCount", "10"), &["state-counts-messages", "scenario:session/read-after-tools"]),
    response("path-is-relative", "the file of a command is told by a relative path", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Set("/data/commands/0/sourceInfo/path", "\"dialogs.js\""), &["command-paths"]),

    event("usage-of-updates-is-zero", "an update has no usage before the message ends", "message_update", Op::Set("/usage/input", "0"), &["scenario:run/updates-tell-the-usage"]).when(&[("/usage/input", "321")]).every(),

    // entries
    response("entries-doubled", "every entry comes twice", ENTRIES, Op::Change(|frame| duplicate_elements(frame, "/data/entries")), &["entries-once", "scenario:session/tree"]),
    response("entries-of-one-id", "every entry has the same id", ENTRIES, Op::Change(|frame| each_entry(frame, |entry| entry["id"] = json!("1"))), &["entries-once", "entries-chained", "leaf-is-an-entry", "entries-that-were-told", "scenario:session/tree", "scenario:session/entries", "scenario:session/entries-are-told"]),
    response("parents-of-nobody", "the parent of an entry is none", ENTRIES, Op::Change(|frame| each_entry(frame, |entry| if entry["parentId"].is_string() { entry["parentId"] = json!("nobody"); })), &["entries-chained"]),
    response("leaf-of-nobody", "the leaf is no entry", ENTRIES, Op::Set("/data/leafId", "\"nobody\""), &["leaf-is-an-entry", "same-leaf", "scenario:session/entries", "scenario:session/entries-are-told", "scenario:session/tree"]),
    response("results-without-entries", "results of tools have no entries", ENTRIES, Op::Change(entries_without_results), &["entries-of-messages", "entries-chained", "scenario:session/entries-are-told"]),
    response("forks-of-nobody", "a message to fork from is no entry", &[("/command", "get_fork_messages"), ("/id", "f")], Op::Change(|frame| {
        if let Some(Value::Array(items)) = frame.pointer_mut("/data/messages") {
            items.iter_mut().for_each(|item| item["entryId"] = json!(format!("no-{}", item["entryId"])));
        }
    }), &["entries-that-were-told", "fork-messages-once", "scenario:session/entries-are-told", "scenario:session/fork", "scenario:session/fork-is-read", "scenario:session/fork-of-the-first", "scenario:session/fork-of-the-third", "scenario:extensions/cancels-sessions"]),
    response("ids-of-the-moment", "entries have other ids each time", LATER, Op::Change(|frame| each_entry(frame, |entry| entry["id"] = json!(other_id(&entry["id"])))), &["entries-stay", "entries-chained", "leaf-is-an-entry", "entries-that-were-told", "scenario:session/entries-are-told"]),
    response("tree-ends-early", "the tree has the first two entries only", TREE, Op::Set("/data/tree/0/children/0/children", "[]"), &["tree-of-entries", "scenario:session/tree"]),
    response("tree-of-another-leaf", "the tree tells another leaf than the entries", TREE, Op::Set("/data/leafId", "\"another\""), &["same-leaf", "scenario:session/tree", "scenario:session/entries-are-told"]),

    // levels and names
    response("levels-doubled", "every level is listed twice", LEVELS, Op::Change(|frame| duplicate_elements(frame, "/data/levels")), &["levels-once", "scenario:thinking/available-without-reasoning"]),
    response("cycles-to-an-unlisted-level", "cycle_thinking_level goes on to a level that the model does not support", &[("/command", "cycle_thinking_level"), ("/id", "u")], Op::Set("/data/level", "\"xhigh\""), &["level-of-the-model", "level-told", "state-of-model", "scenario:thinking/cycle-keeps-to-the-levels"]),
    event("level-of-the-next-model-untold", "that another model does not think is not told", "thinking_level_changed", Op::Drop, &["level-told"]).when(&[("/level", "off")]).at_start().later(),
    event("level-changes-to-itself", "a level is told twice", "thinking_level_changed", Op::Twice, &["level-really-changed"]).at_start(),
    event("second-name-untold", "only the first name is told", "session_info_changed", Op::Drop, &["name-told", "scenario:session/renamed"]).when(&[("/name", "the second name")]).at_start().later(),
    event("name-cut", "the name is told without its end", "session_info_changed", Op::Set("/name", "\"my feature\""), &["name-as-given", "name-told", "scenario:session/name"]).when(&[("/name", "my feature work")]).at_start().later(),

    // queues and runs
    response("first-of-the-queue-kept-back", "only the last queued message is given back", QUEUE, Op::Change(|frame| {
        if let Some(Value::Array(items)) = frame.pointer_mut("/data/steering") {
            items.rotate_left(1);
            items.truncate(1);
        }
    }), &["scenario:queue/clear-several"]),
    response("gives-back-what-nobody-queued", "a message is given back that nobody queued", QUEUE, Op::Set("/data/steering", "[\"look away\"]"), &["cleared-was-queued", "scenario:queue/clear", "scenario:queue/clear-several", "scenario:queue/clear-when-empty"]),
    event("no-end-after-a-failure", "a run whose model failed does not settle", "agent_settled", Op::Drop, &["settles", "scenario:run/settles-after-a-failure", "scenario:run/settles-after-failed-retries", "scenario:run/settles-after-an-abort"]).later(),

    // usage
    frame("totals-without-a-cache", "the total of the tokens leaves the cache out", "", Op::Change(totals_without_cache)).every().at_start().caught_by(&["usage-total"]),
    event("usage-of-another-response", "an update has the usage of another response", "message_update", Op::Set("/usage/input", "99999"), &["usage-as-finished"]).every().later(),
    response("summary-uncounted", "the statistics leave the summary out", &[("/command", "get_session_stats"), ("/id", "t"), ("/data/contextUsage/tokens", "null")], Op::Change(|frame| {
        for (name, less) in [("input", 10), ("total", 10)] {
            let tokens = &mut frame["data"]["tokens"][name];
            *tokens = json!(tokens.as_u64().unwrap_or_default().saturating_sub(less));
        }
    }), &["stats-tokens"]),
    response("summary-of-the-response", "the response to compact has another usage than its end", &[("/command", "compact"), ("/success", "true")], Op::Set("/data/usage/output", "0"), &["compaction-response"]),
    response("summary-out-of-sight", "the summary is not among the messages", &[("/command", "get_messages"), ("/data/messages/0/role", "compactionSummary")], Op::Set("/data/messages", "[]"), &["summary-told", "scenario:compact/summary-is-a-message"]),
    changed_command("blank-names", "a name loses its blanks", |command| {
        if command["type"] == "set_session_name" && let Some(name) = command["name"].as_str() {
            command["name"] = json!(name.replace(' ', ""));
        }
    }, &["name-as-given", "state-of-session", "scenario:session/name", "scenario:session/renamed"]),
];

fn each_entry(frame: &mut Value, change: fn(&mut Value)) {
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/entries") {
        items.iter_mut().for_each(change);
    }
}

/// An id that has no part of this one.
fn other_id(id: &Value) -> String {
    let id = id.as_str().unwrap_or_default().chars();
    id.map(|c| char::from_u32(u32::from(c) + 0x100).unwrap_or(c))
        .collect()
}

fn entries_without_results(frame: &mut Value) {
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/entries") {
        items.retain(|item| item["message"]["role"] != "toolResult");
    }
}

/// Leaves the cache out of every total of tokens, at any depth.
fn totals_without_cache(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(totals_without_cache),
        Value::Object(members) => {
            let part = |name: &str| members.get(name).and_then(Value::as_u64);
            if let (Some(input), Some(output), true) = (
                part("input"),
                part("output"),
                members.contains_key("totalTokens"),
            ) {
                members.insert("totalTokens".to_owned(), json!(input + output));
            }
            members.values_mut().for_each(totals_without_cache);
        }
        _ => {}
    }
}
