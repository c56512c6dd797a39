//! What `session/load` repeats: the updates of a session, each message and call once in its final state.

use serde_json::Value;

/// Adds an update to the log.
pub(super) fn record(log: &mut Vec<Value>, update: &Value) {
    let kind = update["sessionUpdate"].as_str().unwrap_or_default();
    let same = |known: &Value, member: &str| {
        known.get(member).is_some() && known[member] == update[member]
    };
    let earlier = match kind {
        "user_message_chunk" => None,
        "agent_message_chunk" | "agent_thought_chunk" => {
            let last = log
                .last_mut()
                .filter(|last| same(last, "sessionUpdate") && same(last, "messageId"));
            if let Some(text) = last.and_then(|last| last.pointer_mut("/content/text")) {
                let more = update["content"]["text"].as_str().unwrap_or_default();
                *text = format!("{}{more}", text.as_str().unwrap_or_default()).into();
                return;
            }
            None
        }
        "tool_call" | "tool_call_update" => Some("/toolCallId"),
        "plan" => Some("/sessionUpdate"),
        "plan_update" => Some("/plan/planId"),
        "plan_removed" => {
            let removed = update["planId"].clone();
            log.retain(|known| known.pointer("/plan/planId") != Some(&removed));
            return;
        }
        "compaction_update" => Some("/compactionId"),
        "subagent_update" => Some("/sessionId"),
        "session_message" => Some("/messageId"),
        _ => return,
    };
    let group = kind.trim_end_matches("_update");
    let found = earlier.and_then(|pointer| {
        let id = update.pointer(pointer);
        log.iter_mut().find(|known| {
            let known_kind = known["sessionUpdate"].as_str().unwrap_or_default();
            known_kind.trim_end_matches("_update") == group && known.pointer(pointer) == id
        })
    });
    let Some(members) = found.and_then(Value::as_object_mut) else {
        return log.push(update.clone());
    };
    let more = update.as_object().into_iter().flatten();
    for (name, value) in more.filter(|(name, _)| *name != "sessionUpdate") {
        members.insert(name.clone(), value.clone());
    }
}

/// An update without what the client does not take in it.
pub(super) fn shown(update: &Value, takes_subagents: bool) -> Value {
    let mut update = update.clone();
    if let Some(Value::Array(content)) = update.get_mut("content") {
        content.retain(|part| takes_subagents || part["type"] != "session");
    }
    update
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_log_has_each_message_and_each_call_once_in_its_final_state() {
        let mut log = Vec::new();
        let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "messageId": "m1", "content": { "type": "text", "text": text } });
        let call = |kind: &str, status: &str| json!({ "sessionUpdate": kind, "toolCallId": "c", "status": status });
        for update in [
            chunk("a"),
            chunk("b"),
            call("tool_call", "pending"),
            call("tool_call_update", "completed"),
            json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 }),
        ] {
            record(&mut log, &update);
        }
        assert_eq!(log, [chunk("ab"), call("tool_call", "completed")]);
    }
}
