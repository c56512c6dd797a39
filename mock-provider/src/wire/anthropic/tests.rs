//! What Anthropic refuses.

use serde_json::{Value, json};

use super::validation_error;
use crate::model::Model;
use crate::request::Request;
use crate::request::Wire;
use crate::script::Script;
use crate::signatures::SignatureStore;

fn words(body: Value) -> String {
    let request = Request::in_process(0, Wire::AnthropicMessages, body);
    validation_error(&request, &SignatureStore::default(), true)
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
fn a_missing_field_is_named() {
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
fn consecutive_messages_of_one_role_are_accepted() {
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
    let missing =
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.";

    assert!(history(json!([user, assistant])).starts_with(missing));
    assert!(history(json!([user, assistant, user])).starts_with(missing));
    assert!(
        history(json!([user, assistant, user, answer(json!([result("a")]))])).starts_with(missing)
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
fn thinking_blocks_must_come_back_unchanged() {
    let script = json!([{ "thinking": "hm", "tool_calls": [{ "id": "a", "name": "A" }] }, { "thinking": { "text": "ah", "signature": "s" }, "text": "x" }]);
    let mut model = Model::new(Script::from_value(script).expect("a script"), 0);
    let ask = |model: &mut Model, thinking: Value, thinking_block: Option<(&str, &str)>| {
        let thinking_block = thinking_block.map(|(text, signature)| json!({ "type": "thinking", "thinking": text, "signature": signature }));
        let content = thinking_block
            .into_iter()
            .chain([call("a")])
            .collect::<Vec<_>>();
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
    let first =
        json!({ "model": "m", "max_tokens": 1, "messages": [{ "role": "user", "content": "x" }] });
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
