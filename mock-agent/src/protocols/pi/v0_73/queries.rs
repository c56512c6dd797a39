//! What the host asks about the session.

use super::commands::{Command, data};
use super::expand;
use super::model::shown;
use super::responses::Answer;
use super::state::{Entry, Modern};
use crate::core::session::Session;
use serde_json::{Value, json};

pub(super) fn state(command: &Command<'_>) -> Answer {
    let session = command.session;
    let model = shown(session);
    let mode = |together: bool| if together { "all" } else { "one-at-a-time" };
    let queues = &session.queues;
    let mut state = Modern::of(session, |modern| {
        json!({
            "model": model,
            "thinkingLevel": modern.level,
            "isStreaming": modern.run.active,
            "isCompacting": modern.compacting.is_some(),
            "steeringMode": mode(queues.steering.together.get()),
            "followUpMode": mode(queues.following.together.get()),
            "sessionFile": modern.log.file,
            "sessionId": modern.log.id,
            "sessionName": modern.log.name,
            "autoCompactionEnabled": session.auto_compaction.get(),
            "messageCount": modern.log.entries.len(),
            "pendingMessageCount": queues.len(),
        })
    })
    .unwrap_or_default();
    if let Some(fields) = state.as_object_mut() {
        let later = Modern::of(session, |modern| modern.later.is_some()) == Some(true);
        fields.retain(|name, value| !value.is_null() || (name == "model" && !later));
    }
    data(state)
}

/// The messages of the session.
fn log<T>(session: &Session, look: impl FnOnce(&[Entry]) -> T) -> Option<T> {
    Modern::of(session, |modern| look(&modern.log.entries))
}

pub(super) fn messages(command: &Command<'_>) -> Answer {
    let messages = log(command.session, |entries| {
        entries
            .iter()
            .map(|e| e.message.clone())
            .collect::<Vec<_>>()
    });
    data(json!({ "messages": messages }))
}

/// Every text of a message, joined.
pub(super) fn text_of(message: &Value) -> String {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

pub(super) fn fork_messages(command: &Command<'_>) -> Answer {
    let messages = log(command.session, |entries| {
        let users = entries
            .iter()
            .filter(|entry| entry.message["role"] == "user");
        users
            .map(|entry| json!({ "entryId": entry.id, "text": text_of(&entry.message) }))
            .collect::<Vec<_>>()
    });
    data(json!({ "messages": messages }))
}

pub(super) fn last_text(command: &Command<'_>) -> Answer {
    let text = log(command.session, |entries| {
        let mut messages = entries.iter().rev().map(|entry| &entry.message);
        messages
            .find(|message| message["role"] == "assistant")
            .map(text_of)
    });
    data(json!({ "text": text.flatten() }))
}

pub(super) fn stats(command: &Command<'_>) -> Answer {
    let session = command.session;
    let context = session.context.get();
    let stats = Modern::of(session, |modern| {
        let messages = || modern.log.entries.iter().map(|entry| &entry.message);
        let of = |role: &str| messages().filter(|m| m["role"] == role).count();
        let calls = messages().flat_map(|m| m["content"].as_array().into_iter().flatten());
        let calls = calls.filter(|block| block["type"] == "toolCall").count();
        let used = || messages().map(|m| &m["usage"]).chain(&modern.log.spent);
        let sum = |name: &str| used().filter_map(|u| u[name].as_u64()).sum::<u64>();
        let costs = used().filter_map(|u| u["cost"]["total"].as_f64());
        let (input, output) = (sum("input"), sum("output"));
        let (read, write) = (sum("cacheRead"), sum("cacheWrite"));
        let window = modern.model_info.window;
        let known = (!modern.log.unmeasured).then_some(context);
        let percent = known.map(|tokens| tokens as f64 * 100.0 / window.max(1) as f64);
        let mut stats = json!({
            "sessionId": modern.log.id,
            "userMessages": of("user"),
            "assistantMessages": of("assistant"),
            "toolCalls": calls,
            "toolResults": of("toolResult"),
            "totalMessages": messages().count(),
            "tokens": { "input": input, "output": output, "cacheRead": read, "cacheWrite": write, "total": input + output + read + write },
            "cost": costs.fold(0.0, |cost, one| cost + one),
            "contextUsage": { "tokens": known, "contextWindow": window, "percent": percent },
        });
        if let Some(file) = &modern.log.file {
            stats["sessionFile"] = json!(file);
        }
        stats
    });
    Ok(stats)
}

pub(super) fn commands(command: &Command<'_>) -> Answer {
    data(json!({ "commands": expand::listed(command.session) }))
}
