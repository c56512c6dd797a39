//! Thinking that is sent back.

use serde_json::{Value, json};

use crate::model::Model;
use crate::request::{Request, Wire};
use crate::script::Script;

/// The words of the failure of a request with this `thinking` that sends the turn of the script back with this block of thinking.
fn failure(model: &Model, thinking: &Value, block: Option<(&str, &str)>) -> String {
    let block = block.map(
        |(text, signature)| json!({ "type": "thinking", "thinking": text, "signature": signature }),
    );
    let call = json!({ "type": "tool_use", "id": "a", "name": "A", "input": {} });
    let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "ok" });
    let content = block.into_iter().chain([call]).collect::<Vec<_>>();
    let body = json!({ "model": "m", "max_tokens": 2000, "thinking": thinking, "messages": [
        { "role": "user", "content": "x" }, { "role": "assistant", "content": content }, { "role": "user", "content": [result] }
    ]});
    let request = Request::in_process(1, Wire::AnthropicMessages, body);
    let mut failures = model.clone().next(&request).failures.into_iter();
    failures
        .next()
        .map_or(String::new(), |failure| failure.message)
}

#[test]
fn thinking_blocks_must_come_back_unchanged() {
    let script = json!([{ "thinking": "hm", "tool_calls": [{ "id": "a", "name": "A" }] }, { "thinking": { "text": "ah", "signature": "s" }, "text": "x" }]);
    let mut model = Model::new(Script::from_value(script).expect("a script"), 0);
    let first =
        json!({ "model": "m", "max_tokens": 1, "messages": [{ "role": "user", "content": "x" }] });
    model.next(&Request::in_process(0, Wire::AnthropicMessages, first));
    let enabled = |budget: u64| json!({ "type": "enabled", "budget_tokens": budget });
    let signature = crate::ids::signature("hm");

    for (thinking, block, words) in [
        (
            enabled(1024),
            None,
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`",
        ),
        (
            enabled(1024),
            Some(("hm", "other")),
            "messages.1.content.0: Invalid `signature` in `thinking` block",
        ),
        (enabled(1024), Some(("changed", "s")), "cannot be modified"),
        (enabled(5), None, "greater than or equal to 1024"),
        (enabled(2000), None, "`max_tokens` must be greater than"),
        (json!({ "type": "adaptive" }), None, ""),
        (Value::Null, None, ""),
        (enabled(1024), Some(("hm", &*signature)), ""),
    ] {
        let found = failure(&model, &thinking, block);
        assert_eq!(found.is_empty(), words.is_empty(), "{found}");
        assert!(found.contains(words), "{found}");
    }
}
