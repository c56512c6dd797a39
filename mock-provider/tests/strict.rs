//! Strictness: requests that do not match the script.

mod common;

use common::{CHAT, MESSAGES, Mock, chat};
use mock_provider::{Answer, Chunk, FailureKind, Model, Request, Script, Wire};
use serde_json::{Value, json};

fn user(text: &str) -> Value {
    json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": text }] })
}

#[tokio::test]
async fn a_request_without_a_reply_in_the_script_gets_a_fallback_answer() {
    let mut mock = Mock::start(json!([{ "text": "only" }]));
    mock.post(MESSAGES, &user("hello")).await;
    assert_eq!(mock.failures().await, []);

    let response = mock
        .post(MESSAGES, &user("What shall this be called?"))
        .await;

    assert_eq!(response.status, 200);
    let data = response.data();
    assert_eq!(data[3]["delta"]["text"], "OK.");
    assert_eq!(data[5]["delta"]["stop_reason"], "end_turn");
    let [failure] = mock.failures().await.try_into().expect("one failure");
    assert_eq!(
        (failure.kind, failure.request),
        (FailureKind::Exhausted, Some(1))
    );
    assert_eq!(
        failure.to_string(),
        "request 1 came when the model's script had no reply left (1 in all); \
         it is POST /v1/messages, and its last message is \"What shall this be called?\""
    );
}

#[tokio::test]
async fn an_agent_that_never_stops_asking_is_refused_after_eight_fallback_answers() {
    let mock = Mock::start(json!([]));
    for n in 0..8 {
        let response = mock.post(MESSAGES, &user(&format!("again {n}"))).await;
        assert_eq!(response.status, 200);
    }

    let response = mock.post(MESSAGES, &user("and again")).await;

    assert_eq!(
        (response.status, response.header("x-should-retry")),
        (400, Some("false"))
    );
}

#[tokio::test]
async fn a_request_without_anything_new_is_a_repetition() {
    let first = user("hello");
    let more = |messages: Value| {
        let mut body = first.clone();
        body["messages"] = messages;
        body
    };
    let (found_texts, reply) = (
        json!({ "role": "user", "content": "hello" }),
        json!({ "role": "assistant", "content": "only" }),
    );
    let mut titled = first.clone();
    titled["system"] = "You find titles.".into();
    for (script, again, repeated) in [
        (json!({ "text": "only" }), first.clone(), true),
        (
            json!({ "text": "only" }),
            more(json!([found_texts, reply, found_texts])),
            true,
        ),
        (json!({ "text": "only" }), titled, false),
        (
            json!({ "text": "only" }),
            more(json!([found_texts, reply, { "role": "user", "content": "go on" }])),
            false,
        ),
        // A client with half an answer, or none, may send the request again.
        (
            json!({ "text": "only", "stop": "max_tokens" }),
            first.clone(),
            false,
        ),
        (
            json!({ "content": [{ "text": "on" }, { "cut": "close" }] }),
            first.clone(),
            false,
        ),
        (json!({ "error": { "status": 529 } }), first.clone(), false),
        (json!({ "text": "" }), first.clone(), false),
    ] {
        let mut mock = Mock::start(json!([script]));
        mock.post(MESSAGES, &first).await;
        assert_eq!(mock.failures().await, []);

        mock.post(MESSAGES, &again).await;

        let kinds: Vec<_> = mock.failures().await.iter().map(|one| one.kind).collect();
        let expected: &[FailureKind] = if repeated {
            &[FailureKind::Repeated, FailureKind::Exhausted]
        } else {
            &[FailureKind::Exhausted]
        };
        assert_eq!(kinds, expected, "{script} {again}");
    }
}

#[tokio::test]
async fn a_request_that_took_the_reply_of_another_is_named() {
    let mut mock = Mock::start(json!([
        { "text": "a" },
        { "expect_request": { "contains": "second" }, "text": "b" },
    ]));
    mock.post(MESSAGES, &user("first")).await;
    mock.failures().await;
    mock.post(MESSAGES, &user("a title")).await;
    mock.failures().await;

    mock.post(MESSAGES, &user("second")).await;

    let found = mock.failures().await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].kind, found[0].request, found[0].earlier),
        (FailureKind::Exhausted, Some(2), Some(1))
    );
}

/// The reply for an earlier text of the session was served by the process that began it.
#[test]
fn a_session_that_is_resumed_plays_no_when_of_its_earlier_turns_again() {
    let script = json!([
        { "when": { "contains": "heron" }, "text": "old" },
        { "when": { "contains": "always" }, "text": "always", "repeat": "forever" },
        { "text": "new" },
        { "text": "newer" },
    ]);
    let asked = |turns: &[(&str, &str)]| {
        let mut model = Model::new(Script::from_value(script.clone()).unwrap(), 0);
        let turn = |(role, text): &(&str, &str)| json!({ "role": role, "content": text });
        let messages: Vec<Value> = turns.iter().map(turn).collect();
        let body = json!({ "model": "m", "max_tokens": 9, "messages": messages });
        let request = Request::in_process(1, Wire::AnthropicMessages, body);
        model.next(&request).reply
    };
    let (heron, old) = (("user", "tell of the heron"), ("assistant", "old"));
    assert_eq!(asked(&[heron]), Some(0));
    assert_eq!(asked(&[heron, old, ("user", "and now")]), Some(2));
    assert_eq!(asked(&[("user", "hi"), old, heron]), Some(0));
    let always = ("user", "always");
    assert_eq!(asked(&[always, old, ("user", "and now")]), Some(1));
}

#[tokio::test]
async fn a_reply_with_when_serves_the_requests_that_match() {
    let mut mock = Mock::start(json!([
        { "text": "first" },
        { "when": { "contains": "title" }, "text": "a title", "repeat": 2 },
        { "text": "second" },
    ]));
    let mut found_texts = Vec::new();
    for text in ["one", "a title please", "two", "title"] {
        let response = mock.post(MESSAGES, &user(text)).await;
        found_texts.push(response.data()[3]["delta"]["text"].clone());
        assert_eq!(mock.failures().await, []);
    }

    assert_eq!(found_texts, ["first", "a title", "second", "a title"]);
    assert_eq!(mock.server.unused(), []);
}

#[tokio::test]
async fn a_request_that_matches_nothing_reports_the_nearest_reply_and_the_difference() {
    let mut mock = Mock::start(json!([
        { "when": { "contains": ["a", "b", "zzz"] }, "text": "x" },
        { "when": { "body": { "model": "other" } }, "text": "x" },
    ]));

    let response = mock.post(MESSAGES, &user("hello")).await;

    assert_eq!(response.status, 200);
    let [failure] = mock.failures().await.try_into().expect("one failure");
    assert_eq!(
        (failure.kind, failure.pointer.as_str()),
        (FailureKind::Unmatched, "/1/when/body/model")
    );
    assert!(
        failure
            .to_string()
            .contains("the nearest is reply 1; it is POST /v1/messages, and its last message is \"hello\"; expected \"other\" at /model of the body"),
        "{failure}"
    );
    let unused = mock.server.unused();
    assert_eq!(
        unused
            .iter()
            .map(|one| one.pointer.as_str())
            .collect::<Vec<_>>(),
        ["/0", "/1"]
    );
    assert_eq!(
        unused[0].to_string(),
        "the agent did not ask the model for reply 0 of its script; expected 1 request; got 0 requests"
    );
}

#[tokio::test]
async fn a_failed_expectation_is_in_the_journal_and_the_reply_is_served() {
    let mut mock = Mock::start(json!([{
        "expect_request": {
            "contains": "hello",
            "not_contains": "hell",
            "last_contains": "bye",
            "tool_result": { "call": "t1" },
            "body": { "messages": { "$length": 2 } },
        },
        "text": "x",
    }]));

    let response = mock.post(CHAT, &chat(true)).await;

    assert_eq!(response.status, 200);
    let found = mock.failures().await;
    assert!(
        found
            .iter()
            .all(|failure| failure.kind == FailureKind::Expectation)
    );
    let found_texts = found
        .iter()
        .map(|one| {
            (
                one.pointer.as_str(),
                one.expected.as_deref().unwrap_or_default(),
            )
        })
        .collect::<Vec<_>>();
    assert_eq!(
        found_texts,
        [
            (
                "/0/expect_request/not_contains/0",
                "no \"hell\" in the conversation"
            ),
            (
                "/0/expect_request/last_contains/0",
                "\"bye\" in the new messages"
            ),
            (
                "/0/expect_request/tool_result/0",
                "a tool result for call \"t1\""
            ),
            (
                "/0/expect_request/body/messages/$length",
                "a value whose length is 2 at /messages of the body"
            ),
        ]
    );
}

#[tokio::test]
async fn the_strings_of_a_tool_result_that_is_json_count() {
    let body = json!({ "model": "m", "max_tokens": 9, "messages": [
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t1", "name": "A", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": r#"{"exit":0,"out":"a\nb \u00e9"}"# }] },
    ]});
    let expects = |text: &str| json!({ "text": "x", "expect_request": { "tool_result": { "contains": text } } });
    let mut mock = Mock::start(json!([expects("a\nb é"), expects("a\nb c")]));
    mock.post(MESSAGES, &body).await;
    assert_eq!(mock.failures().await, []);
    mock.post(MESSAGES, &body).await;
    assert_eq!(mock.failures().await.len(), 1);
}

#[tokio::test]
async fn a_tool_result_is_compared_by_the_id_of_its_call() {
    let result = |call: &str, text: &str, error: bool| json!({ "type": "tool_result", "tool_use_id": call, "content": [{ "type": "text", "text": text }], "is_error": error });
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "A", "input": {} });
    let body = json!({ "model": "m", "max_tokens": 9, "messages": [
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": [call("t1"), call("t2")] },
        { "role": "user", "content": [result("t1", "fine", false), result("t2", "denied: no", true)] },
    ]});
    let mut mock = Mock::start(json!([
        { "text": "x", "expect_request": { "tool_result": [{ "call": "t1", "is_error": false, "contains": "fine" }, { "call": "t2", "is_error": true, "contains": "denied", "not_contains": "fine" }] } },
        { "text": "x", "expect_request": { "tool_result": { "call": "t1", "is_error": true, "contains": "denied" } } },
    ]));

    mock.post(MESSAGES, &body).await;
    assert_eq!(mock.failures().await, []);
    mock.post(MESSAGES, &body).await;

    let found_texts = mock
        .failures()
        .await
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    assert_eq!(found_texts.len(), 2);
    assert!(found_texts[0].ends_with(r#"expected is_error true in the result for "t1"; got is_error false in the result for "t1""#), "{found_texts:?}");
    assert!(
        found_texts[1].ends_with(r#"expected "denied" in the result for "t1"; got ["fine"]"#),
        "{found_texts:?}"
    );
}

/// The words of the failure of a request with this `thinking` that sends the turn of the script back with this block of thinking.
fn thinking_failure(model: &Model, thinking: &Value, block: Option<(&str, &str)>) -> String {
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
    let first = model.next(&Request::in_process(0, Wire::AnthropicMessages, first));
    let Answer::Message(message) = first.answer else {
        panic!("a message")
    };
    let signature = message.chunks().find_map(|chunk| match chunk {
        Chunk::Signature { signature, .. } => Some(signature.clone()),
        _ => None,
    });
    let signature = signature.expect("a generated one");
    let enabled = |budget: u64| json!({ "type": "enabled", "budget_tokens": budget });

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
        let found = thinking_failure(&model, &thinking, block);
        assert_eq!(found.is_empty(), words.is_empty(), "{found}");
        assert!(found.contains(words), "{found}");
    }
}
