//! Calls and their results.

use super::turns::{Placed, Turn, of_type};

/// Every call is answered in the next turn, once, before anything else; and nothing else is.
pub(super) fn pairs(turns: &[Turn]) -> Result<(), String> {
    let mut calls: Vec<&str> = Vec::new();
    let mut every: Vec<&str> = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let mut answered = Vec::new();
        for Placed { place, block } in of_type(turn, "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if !calls.contains(&id) {
                return Err(format!(
                    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                     corresponding `tool_use` block in the previous message."
                ));
            }
            if answered.contains(&id) {
                return Err(format!(
                    "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                ));
            }
            answered.push(id);
        }
        let first = turn
            .blocks
            .iter()
            .take_while(|placed| placed.block["type"] == "tool_result")
            .count();
        let missing = calls
            .iter()
            .filter(|call| !answered.iter().take(first).any(|id| id == *call))
            .copied()
            .collect::<Vec<_>>();
        if i > 0 && !missing.is_empty() {
            return Err(unanswered(&turns[i - 1], &missing));
        }
        calls.clear();
        for Placed { place, block } in of_type(turn, "tool_use") {
            let id = block["id"].as_str().unwrap_or_default();
            if every.contains(&id) {
                return Err(format!("{place}: `tool_use` ids must be unique"));
            }
            calls.push(id);
            every.push(id);
        }
    }
    match turns.last() {
        Some(turn) if !calls.is_empty() => Err(unanswered(turn, &calls)),
        _ => Ok(()),
    }
}

fn unanswered(turn: &Turn, ids: &[&str]) -> String {
    format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a \
         corresponding `tool_result` block in the next message.",
        turn.first,
        ids.join(", ")
    )
}
