//! Queries about the session: `get_state`, `get_messages`, `get_session_stats`, `get_entries` and others.

use super::models::current_model;
use super::responses::data;
use super::session_log::text_of;
use super::{Answer, PiCommand, PiState, V0_87, V1_6, expand};
use crate::protocols::frames::present;
use serde_json::{Value, json};

pub(super) fn state(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    let model = current_model(session);
    let mode = |together: bool| if together { "all" } else { "one-at-a-time" };
    let queues = &session.queues;
    let state = session.state();
    let mut shown = json!({
        "model": model,
        "thinkingLevel": state.thinking_level,
        "isStreaming": state.run.active,
        "isCompacting": state.compacting.is_some(),
        "steeringMode": mode(queues.steering.together.get()),
        "followUpMode": mode(queues.follow_up.together.get()),
        "sessionFile": state.log.file,
        "sessionId": state.log.id,
        "sessionName": state.log.name(),
        "autoCompactionEnabled": !session.never_compacts.get(),
        "messageCount": state.log.entries.len(),
        "pendingMessageCount": queues.len(),
    });
    if let Some(fields) = shown.as_object_mut() {
        let shows_null = |name: &str| name == "model" && state.version < V0_87;
        fields.retain(|name, value| !value.is_null() || shows_null(name));
    }
    data(shown)
}

pub(super) fn messages(command: &PiCommand<'_>) -> Answer {
    let state = command.session.state();
    let messages = state.log.entries.iter().map(|entry| &entry.message);
    data(json!({ "messages": messages.collect::<Vec<_>>() }))
}

pub(super) fn fork_messages(command: &PiCommand<'_>) -> Answer {
    let state = command.session.state();
    let messages = state
        .log
        .tree
        .of_user()
        .map(|entry| json!({ "entryId": entry["id"], "text": text_of(&entry["message"]) }));
    data(json!({ "messages": messages.collect::<Vec<_>>() }))
}

pub(super) fn last_text(command: &PiCommand<'_>) -> Answer {
    let state = command.session.state();
    let mut texts = state.log.of_role("assistant").rev().map(|entry| {
        let skipped = ["error", "aborted", "toolUse"].iter();
        let is_skipped = skipped
            .clone()
            .any(|stop| entry.message["stopReason"] == **stop);
        (is_skipped, text_of(&entry.message).trim().to_owned())
    });
    let last = match state.version {
        V1_6 => texts.find(|(is_skipped, text)| !is_skipped || !text.is_empty()),
        _ => texts.next(),
    };
    let text = last.map(|(_, text)| text);
    data(json!({ "text": text.filter(|text| !text.is_empty()) }))
}

pub(super) fn stats(command: &PiCommand<'_>) -> Answer {
    let state = command.session.state();
    let counted = counted(&state);
    let messages = || {
        counted
            .iter()
            .copied()
            .filter(|one| one["role"].is_string())
    };
    let of = |role: &str| messages().filter(|m| m["role"] == role).count();
    let blocks = messages().flat_map(|m| m["content"].as_array().into_iter().flatten());
    let calls = blocks.filter(|block| block["type"] == "toolCall").count();
    let used = || counted.iter().map(|one| &one["usage"]);
    let sum = |name: &str| used().filter_map(|u| u[name].as_u64()).sum::<u64>();
    let costs = used().filter_map(|u| u["cost"]["total"].as_f64());
    let (input, output) = (sum("input"), sum("output"));
    let (read, write) = (sum("cacheRead"), sum("cacheWrite"));
    let window = state.model_info.window;
    let known = (!state.log.unmeasured).then(|| command.session.context_tokens.get());
    let percent = known.map(|tokens| tokens as f64 * 100.0 / window.max(1) as f64);
    data(present(json!({
        "sessionId": state.log.id,
        "userMessages": of("user"),
        "assistantMessages": of("assistant"),
        "toolCalls": calls,
        "toolResults": of("toolResult"),
        "totalMessages": messages().count(),
        "tokens": { "input": input, "output": output, "cacheRead": read, "cacheWrite": write, "total": input + output + read + write },
        "cost": costs.fold(0.0, |cost, one| cost + one),
        "contextUsage": { "tokens": known, "contextWindow": window, "percent": percent },
        "sessionFile": state.log.file,
    })))
}

/// What the statistics count: the messages that the model gets; or all messages, and the compactions.
fn counted(state: &PiState) -> Vec<&Value> {
    if state.version < V0_87 {
        let entries = state.log.entries.iter();
        return entries.map(|entry| &entry.message).collect();
    }
    let entries = state.log.tree.iter();
    let counted = entries.filter_map(|entry| match entry["type"].as_str() {
        Some("message") => Some(&entry["message"]),
        Some("compaction") => Some(entry),
        _ => None,
    });
    counted.collect()
}

pub(super) fn commands(command: &PiCommand<'_>) -> Answer {
    data(json!({ "commands": expand::available_commands(command.session) }))
}

pub(super) fn entries(command: &PiCommand<'_>) -> Answer {
    let tree = &command.session.state().log.tree;
    let entries = tree.since(command.fields["since"].as_str())?;
    data(json!({ "entries": entries, "leafId": tree.leaf() }))
}

pub(super) fn tree(command: &PiCommand<'_>) -> Answer {
    let tree = &command.session.state().log.tree;
    data(json!({ "tree": tree.nested(), "leafId": tree.leaf() }))
}
