//! Anthropic Messages: what it refuses, in its own words.
//!
//! Messages of one role in a row are no reason: the real API joins them into one turn, and so they are joined here. Nor is
//! a system message among them, which newer models take and which belongs to no turn.

use serde_json::Value;

use crate::answer::HttpError;
use crate::memory::Memory;
use crate::request::Request;

/// Where the vendor's messages send their readers.
const THINKING_PAGE: &str = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/// The least budget for thinking.
const LEAST_BUDGET: u64 = 1024;

/// One block of content. Content that is a bare string is one block.
struct Placed<'a> {
    /// Such as `messages.2.content.0`.
    place: String,
    block: &'a Value,
}

/// All messages of one role in a row.
struct Turn<'a> {
    /// The number of its first message.
    first: usize,
    assistant: bool,
    blocks: Vec<Placed<'a>>,
}

/// The error the real API would give. `whole`: for a message, and not only for a count of its tokens.
pub(super) fn refusal(request: &Request, memory: &Memory, whole: bool) -> Option<HttpError> {
    let checked = fields(&request.body, whole)
        .and_then(|()| turns(&request.body))
        .and_then(|turns| pairs(&turns).and_then(|()| thinking(request, &turns, memory)));
    checked
        .err()
        .map(|message| HttpError::new(400, "invalid_request_error", message))
}

fn fields(body: &Value, whole: bool) -> Result<(), String> {
    if !body.is_object() {
        return Err("Input should be a valid dictionary or object to extract fields from".into());
    }
    let required: &[&str] = if whole {
        &["model", "max_tokens", "messages"]
    } else {
        &["model", "messages"]
    };
    if let Some(missing) = required.iter().find(|field| body[**field].is_null()) {
        return Err(format!("{missing}: Field required"));
    }
    if !body["model"].is_string() {
        return Err("model: Input should be a valid string".into());
    }
    if whole && body["max_tokens"].as_i64().is_none() {
        return Err("max_tokens: Input should be a valid integer".into());
    }
    if whole && body["max_tokens"].as_i64() < Some(0) {
        return Err("max_tokens: Input should be greater than or equal to 0".into());
    }
    match body["messages"].as_array() {
        None => Err("messages: Input should be a valid list".into()),
        Some(list) if list.is_empty() => Err("messages: at least one message is required".into()),
        Some(_) => Ok(()),
    }
}

fn turns(body: &Value) -> Result<Vec<Turn<'_>>, String> {
    let messages = body["messages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut turns: Vec<Turn> = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let assistant = match message["role"].as_str() {
            Some("user") => false,
            Some("assistant") => true,
            Some("system") => continue,
            Some(_) => {
                return Err(format!(
                    "messages.{i}.role: Input should be 'user', 'assistant' or 'system'"
                ));
            }
            None => return Err(format!("messages.{i}.role: Field required")),
        };
        let last = i + 1 == messages.len();
        let blocks = blocks(i, &message["content"], assistant && last)?;
        match turns.last_mut() {
            Some(turn) if turn.assistant == assistant => turn.blocks.extend(blocks),
            _ => turns.push(Turn {
                first: i,
                assistant,
                blocks,
            }),
        }
    }
    Ok(turns)
}

fn blocks(i: usize, content: &Value, may_be_empty: bool) -> Result<Vec<Placed<'_>>, String> {
    let empty = || {
        format!(
            "messages.{i}: all messages must have non-empty content except for the optional final assistant message"
        )
    };
    match content {
        Value::Null => Err(format!("messages.{i}.content: Field required")),
        Value::String(text) if text.is_empty() && !may_be_empty => Err(empty()),
        Value::String(_) => Ok(vec![Placed {
            place: format!("messages.{i}.content.0"),
            block: content,
        }]),
        Value::Array(list) if list.is_empty() && !may_be_empty => Err(empty()),
        Value::Array(list) => {
            let placed = list.iter().enumerate().map(|(j, block)| Placed {
                place: format!("messages.{i}.content.{j}"),
                block,
            });
            placed
                .map(|placed| block(&placed).map(|()| placed))
                .collect()
        }
        _ => Err(format!(
            "messages.{i}.content: Input should be a valid list"
        )),
    }
}

/// Fields that a type of block cannot do without.
const BLOCK_FIELDS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("thinking", &["thinking", "signature"]),
    ("redacted_thinking", &["data"]),
    ("tool_use", &["id", "name", "input"]),
    ("tool_result", &["tool_use_id"]),
];

fn block(Placed { place, block }: &Placed) -> Result<(), String> {
    let Some(kind) = block["type"].as_str() else {
        return Err(format!("{place}.type: Field required"));
    };
    let fields = BLOCK_FIELDS
        .iter()
        .find(|(known, _)| *known == kind)
        .map(|(_, fields)| *fields)
        .unwrap_or_default();
    if let Some(missing) = fields.iter().find(|field| block[**field].is_null()) {
        return Err(format!("{place}.{kind}.{missing}: Field required"));
    }
    if kind == "tool_use" && !block["input"].is_object() {
        return Err(format!(
            "{place}.tool_use.input: Input should be a valid dictionary"
        ));
    }
    match block["text"].as_str() {
        Some("") if kind == "text" => Err("messages: text content blocks must be non-empty".into()),
        Some(text) if kind == "text" && text.trim().is_empty() => {
            Err("messages: text content blocks must contain non-whitespace text".into())
        }
        _ => Ok(()),
    }
}

/// Every call is answered in the next turn, once, before anything else; and nothing else is.
fn pairs(turns: &[Turn]) -> Result<(), String> {
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

fn of_type<'t, 'a>(turn: &'t Turn<'a>, kind: &'t str) -> impl Iterator<Item = &'t Placed<'a>> {
    turn.blocks
        .iter()
        .filter(move |placed| placed.block["type"] == kind)
}

/// With thinking on, thoughts come back with their signatures, unchanged, at the head of the turn that called tools.
fn thinking(request: &Request, turns: &[Turn], memory: &Memory) -> Result<(), String> {
    let settings = &request.body["thinking"];
    match settings["type"].as_str() {
        Some("enabled") => budget(request)?,
        Some("adaptive") => {}
        _ => return Ok(()),
    }
    for Placed { place, block } in turns.iter().flat_map(|turn| of_type(turn, "thinking")) {
        let (text, signature) = (
            block["thinking"].as_str().unwrap_or_default(),
            block["signature"].as_str().unwrap_or_default(),
        );
        match memory.thought_of(signature) {
            Some(thought) if thought == text => {}
            None if memory.signed(text, signature) => {}
            Some(_) => {
                return Err(format!(
                    "{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks \
                     must remain as they were in the original response."
                ));
            }
            None => return Err(format!("{place}: Invalid `signature` in `thinking` block")),
        }
    }
    let Some(last) = turns.iter().rfind(|turn| turn.assistant) else {
        return Ok(());
    };
    let Some(Placed { place, block }) = last.blocks.first() else {
        return Ok(());
    };
    let kind = block["type"].as_str().unwrap_or("text");
    let dropped = of_type(last, "tool_use").any(|placed| {
        placed.block["id"]
            .as_str()
            .is_some_and(|id| memory.thought_before(id))
    });
    if settings["type"] == "enabled" && dropped && !kind.ends_with("thinking") {
        return Err(format!(
            "{place}.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is enabled, a final `assistant` \
             message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
             include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at \
             {THINKING_PAGE}"
        ));
    }
    Ok(())
}

fn budget(request: &Request) -> Result<(), String> {
    let Some(budget) = request.body["thinking"]["budget_tokens"].as_u64() else {
        return Err("thinking.enabled.budget_tokens: Field required".into());
    };
    if budget < LEAST_BUDGET {
        return Err(format!(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_BUDGET}"
        ));
    }
    let interleaved = request
        .headers
        .get("anthropic-beta")
        .is_some_and(|betas| betas.contains("interleaved-thinking"));
    if !interleaved
        && request.body["max_tokens"]
            .as_u64()
            .is_some_and(|most| most <= budget)
    {
        return Err(format!(
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at \
             {THINKING_PAGE}#max-tokens-and-context-window-size"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Model;
    use crate::request::Wire;
    use crate::script::Script;

    fn words(body: Value) -> String {
        let request = Request::in_process(0, Wire::AnthropicMessages, body);
        refusal(&request, &Memory::default(), true)
            .map(|error| error.message)
            .unwrap_or_default()
    }

    fn history(messages: Value) -> String {
        words(json!({ "model": "m", "max_tokens": 1, "messages": messages }))
    }

    fn call(id: &str) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "A", "input": {} })
    }

    fn result(id: &str) -> Value {
        json!({ "type": "tool_result", "tool_use_id": id, "content": "ok" })
    }

    #[test]
    fn fields_that_are_required_are_missed() {
        let user = json!([{ "role": "user", "content": "x" }]);

        assert_eq!(
            words(json!({ "model": "m", "messages": user })),
            "max_tokens: Field required"
        );
        assert_eq!(
            words(json!({ "max_tokens": 1, "messages": user })),
            "model: Field required"
        );
        assert_eq!(
            history(json!([])),
            "messages: at least one message is required"
        );
        assert_eq!(
            history(json!([{ "role": "bot", "content": "x" }])),
            "messages.0.role: Input should be 'user', 'assistant' or 'system'"
        );
        assert_eq!(
            history(json!([{ "role": "user" }])),
            "messages.0.content: Field required"
        );
        assert!(
            history(json!([{ "role": "user", "content": "" }]))
                .starts_with("messages.0: all messages must have non-empty content")
        );
        assert_eq!(
            history(json!([{ "role": "user", "content": [{ "type": "text", "text": "" }] }])),
            "messages: text content blocks must be non-empty"
        );
        let unnamed = json!({ "type": "tool_use", "id": "a", "input": {} });
        assert_eq!(
            history(json!([{ "role": "assistant", "content": [unnamed] }])),
            "messages.0.content.0.tool_use.name: Field required"
        );
    }

    #[test]
    fn messages_of_one_role_in_a_row_are_taken() {
        let user = json!({ "role": "user", "content": "x" });
        let system = json!({ "role": "system", "content": "x" });
        let results = |ids: &[&str]| json!({ "role": "user", "content": ids.iter().map(|id| result(id)).collect::<Vec<_>>() });
        let assistant = |ids: &[&str]| json!({ "role": "assistant", "content": ids.iter().map(|id| call(id)).collect::<Vec<_>>() });

        assert_eq!(
            history(json!([user, user, system, { "role": "assistant", "content": "" }])),
            ""
        );
        assert_eq!(
            history(json!([
                user,
                assistant(&["a", "b"]),
                results(&["b"]),
                results(&["a"]),
                user
            ])),
            ""
        );
        assert_eq!(
            history(json!([
                user,
                assistant(&["a"]),
                assistant(&["b"]),
                results(&["a", "b"])
            ])),
            ""
        );
    }

    #[test]
    fn every_call_has_one_result_and_every_result_a_call() {
        let user = json!({ "role": "user", "content": "x" });
        let assistant = json!({ "role": "assistant", "content": [call("a")] });
        let answer = |content: Value| json!({ "role": "user", "content": content });
        let missing = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.";

        assert!(history(json!([user, assistant])).starts_with(missing));
        assert!(history(json!([user, assistant, user])).starts_with(missing));
        assert!(
            history(json!([user, assistant, user, answer(json!([result("a")]))]))
                .starts_with(missing)
        );
        assert!(
            history(json!([
                user,
                assistant,
                answer(json!([{ "type": "text", "text": "x" }, result("a")]))
            ]))
            .starts_with(missing)
        );
        assert!(
            history(json!([answer(json!([result("a")]))]))
                .starts_with("messages.0.content.0: unexpected `tool_use_id`")
        );
        assert!(
            history(json!([
                user,
                assistant,
                answer(json!([result("a"), result("b")]))
            ]))
            .starts_with("messages.2.content.1: unexpected")
        );
        let twice = answer(json!([result("a"), result("a")]));
        assert!(
            history(json!([user, assistant, twice]))
                .contains("each tool_use must have a single result")
        );
        let again = [
            user.clone(),
            assistant.clone(),
            answer(json!([result("a")])),
            assistant,
        ];
        assert_eq!(
            history(json!(again)),
            "messages.3.content.0: `tool_use` ids must be unique"
        );
    }

    #[test]
    fn thoughts_come_back_as_they_were() {
        let script = json!([{ "thinking": "hm", "tool_calls": [{ "id": "a", "name": "A" }] }, { "thinking": { "text": "ah", "signature": "s" }, "text": "x" }]);
        let mut model = Model::new(Script::from_value(script).expect("a script"), 0);
        let ask = |model: &mut Model, thinking: Value, thought: Option<(&str, &str)>| {
            let thought = thought.map(|(text, signature)| json!({ "type": "thinking", "thinking": text, "signature": signature }));
            let content = thought.into_iter().chain([call("a")]).collect::<Vec<_>>();
            let body = json!({ "model": "m", "max_tokens": 2000, "thinking": thinking, "messages": [
                { "role": "user", "content": "x" }, { "role": "assistant", "content": content }, { "role": "user", "content": [result("a")] }
            ]});
            let served = model.next(&Request::in_process(1, Wire::AnthropicMessages, body));
            served
                .failures
                .first()
                .map(|failure| failure.message.clone())
                .unwrap_or_default()
        };
        let enabled = json!({ "type": "enabled", "budget_tokens": 1024 });
        let first = json!({ "model": "m", "max_tokens": 1, "messages": [{ "role": "user", "content": "x" }] });
        model.next(&Request::in_process(0, Wire::AnthropicMessages, first));
        let signature = crate::ids::signature("hm");

        assert!(ask(&mut model.clone(), enabled.clone(), None).contains("messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`"));
        assert!(
            ask(&mut model.clone(), enabled.clone(), Some(("hm", "other")))
                .contains("messages.1.content.0: Invalid `signature` in `thinking` block")
        );
        assert!(
            ask(&mut model.clone(), enabled.clone(), Some(("changed", "s")))
                .contains("cannot be modified")
        );
        assert!(
            ask(
                &mut model.clone(),
                json!({ "type": "enabled", "budget_tokens": 5 }),
                None
            )
            .contains("greater than or equal to 1024")
        );
        assert!(
            ask(
                &mut model.clone(),
                json!({ "type": "enabled", "budget_tokens": 2000 }),
                None
            )
            .contains("`max_tokens` must be greater than")
        );
        assert_eq!(
            ask(&mut model.clone(), json!({ "type": "adaptive" }), None),
            ""
        );
        assert_eq!(ask(&mut model.clone(), Value::Null, None), "");
        assert_eq!(ask(&mut model, enabled, Some(("hm", &signature))), "");
    }
}
