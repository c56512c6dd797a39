//! Values that are told, and are not what was seen: of entries, levels, names and usage.

use super::super::v73::{double, event, response, taken};
use crate::faults::{Fault, Op, frame};
use serde_json::{Value, json};

const ENTRIES: &[(&str, &str)] = &[("/command", "get_entries"), ("/id", "e")];
const TREE: &[(&str, &str)] = &[("/command", "get_tree"), ("/id", "t")];
const LATER: &[(&str, &str)] = &[("/command", "get_entries"), ("/id", "g")];
const LEVELS: &[(&str, &str)] = &[("/command", "get_available_thinking_levels")];
const QUEUE: &[(&str, &str)] = &[("/command", "clear_queue"), ("/id", "c")];

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    // faults of 0.73, played on what this version has
    response("one-message-more", "the state counts more messages than there are", &[("/command", "get_state"), ("/data/messageCount", "8")], Op::Set("/data/messageCount", "10"), &["state-counts-messages", "scenario:session/read-after-tools"]),
    response("path-is-relative", "the file of a command is told by a relative path", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Set("/data/commands/0/sourceInfo/path", "\"dialogs.js\""), &["command-paths"]),

    event("usage-of-updates-is-zero", "an update has no usage before the message ends", "message_update", Op::Set("/usage/input", "0"), &["scenario:run/updates-tell-the-usage"]).when(&[("/usage/input", "321")]).every(),

    // entries
    response("entries-doubled", "every entry comes twice", ENTRIES, Op::Change(|frame| double(frame, "/data/entries")), &["entries-once", "scenario:session/tree"]),
    response("entries-of-one-id", "every entry has the same id", ENTRIES, Op::Change(|frame| each_entry(frame, |entry| entry["id"] = json!("1"))), &["entries-once", "entries-chained", "leaf-is-an-entry", "entries-that-were-told", "scenario:session/tree", "scenario:session/entries", "scenario:session/entries-are-told"]),
    response("parents-of-nobody", "the parent of an entry is none", ENTRIES, Op::Change(|frame| each_entry(frame, |entry| if entry["parentId"].is_string() { entry["parentId"] = json!("nobody"); })), &["entries-chained"]),
    response("leaf-of-nobody", "the leaf is no entry", ENTRIES, Op::Set("/data/leafId", "\"nobody\""), &["leaf-is-an-entry", "same-leaf", "scenario:session/entries", "scenario:session/entries-are-told", "scenario:session/tree"]),
    response("results-without-entries", "results of tools have no entries", ENTRIES, Op::Change(without_results), &["entries-of-messages", "entries-chained", "scenario:session/entries-are-told"]),
    response("forks-of-nobody", "a message to fork from is no entry", &[("/command", "get_fork_messages"), ("/id", "f")], Op::Change(|frame| {
        if let Some(Value::Array(items)) = frame.pointer_mut("/data/messages") {
            items.iter_mut().for_each(|item| item["entryId"] = json!(format!("no-{}", item["entryId"])));
        }
    }), &["entries-that-were-told", "fork-messages-once", "scenario:session/entries-are-told", "scenario:session/fork", "scenario:session/fork-is-read", "scenario:session/fork-of-the-first", "scenario:session/fork-of-the-third", "scenario:extensions/cancels-sessions"]),
    response("ids-of-the-moment", "entries have other ids each time", LATER, Op::Change(|frame| each_entry(frame, |entry| entry["id"] = json!(otherwise(&entry["id"])))), &["entries-stay", "entries-chained", "leaf-is-an-entry", "entries-that-were-told", "scenario:session/entries-are-told"]),
    response("tree-ends-early", "the tree has the first two entries only", TREE, Op::Set("/data/tree/0/children/0/children", "[]"), &["tree-of-entries", "scenario:session/tree"]),
    response("tree-of-another-leaf", "the tree tells another leaf than the entries", TREE, Op::Set("/data/leafId", "\"another\""), &["same-leaf", "scenario:session/tree", "scenario:session/entries-are-told"]),

    // levels and names
    response("levels-doubled", "every level is listed twice", LEVELS, Op::Change(|frame| double(frame, "/data/levels")), &["levels-once", "scenario:thinking/available-without-reasoning"]),
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
    frame("totals-without-a-cache", "the total of the tokens leaves the cache out", "", Op::Change(totals)).every().at_start().caught_by(&["usage-total"]),
    event("usage-of-another-response", "an update has the usage of another response", "message_update", Op::Set("/usage/input", "99999"), &["usage-as-finished"]).every().later(),
    response("summary-uncounted", "the statistics leave the summary out", &[("/command", "get_session_stats"), ("/id", "t"), ("/data/contextUsage/tokens", "null")], Op::Change(|frame| {
        for (name, less) in [("input", 10), ("total", 10)] {
            let tokens = &mut frame["data"]["tokens"][name];
            *tokens = json!(tokens.as_u64().unwrap_or_default().saturating_sub(less));
        }
    }), &["stats-tokens"]),
    response("summary-of-the-response", "the response to compact has another usage than its end", &[("/command", "compact"), ("/success", "true")], Op::Set("/data/usage/output", "0"), &["compaction-response"]),
    response("summary-out-of-sight", "the summary is not among the messages", &[("/command", "get_messages"), ("/data/messages/0/role", "compactionSummary")], Op::Set("/data/messages", "[]"), &["summary-told", "scenario:compact/summary-is-a-message"]),
    taken("blank-names", "a name loses its blanks", |command| {
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

/// An id that holds nothing of this one.
fn otherwise(id: &Value) -> String {
    let id = id.as_str().unwrap_or_default().chars();
    id.map(|c| char::from_u32(u32::from(c) + 0x100).unwrap_or(c))
        .collect()
}

fn without_results(frame: &mut Value) {
    if let Some(Value::Array(items)) = frame.pointer_mut("/data/entries") {
        items.retain(|item| item["message"]["role"] != "toolResult");
    }
}

/// Sums up every usage without the cache, wherever it is.
fn totals(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(totals),
        Value::Object(members) => {
            let part = |name: &str| members.get(name).and_then(Value::as_u64);
            if let (Some(input), Some(output), true) = (
                part("input"),
                part("output"),
                members.contains_key("totalTokens"),
            ) {
                members.insert("totalTokens".to_owned(), json!(input + output));
            }
            members.values_mut().for_each(totals);
        }
        _ => {}
    }
}
