//! The bytes of each wire: streams, documents, errors and headers.

mod common;

use common::{CHAT, MESSAGES, Mock, RESPONSES, chat, messages};
use mock_provider::script::Stop;
use mock_provider::{BlockStart, Chunk, ReplyDecoder, Usage, Wire};
use serde_json::{Value, json};

/// A reply with thinking, text and a tool call.
fn everything() -> Value {
    json!([{
        "thinking": { "text": "hm", "signature": "sig" },
        "text": ["Hi", "!"],
        "tool_calls": [{ "id": "t1", "name": "Read", "args": { "path": "ü" } }],
        "usage": { "input": 3, "output": 9, "cache_read": 2, "cache_write": 1, "reasoning": 4 },
    }])
}

#[tokio::test]
async fn anthropic_events_are_byte_for_byte_those_of_the_real_api() {
    let mock = Mock::start(everything());

    let response = mock.post(MESSAGES, &messages(true)).await;

    assert_eq!(
        response.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    let id = response.data()[0]["message"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert!(id.starts_with("msg_01") && id.len() == 28, "{id}");
    let expected = r#"event: message_start
data: {"type":"message_start","message":{"id":"ID","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"!"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"Read","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\":\"ü\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":3,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":9,"output_tokens_details":{"thinking_tokens":4}}}

event: message_stop
data: {"type":"message_stop"}

"#;
    similar_asserts::assert_eq!(response.text().replace(&id, "ID"), expected);
}

#[tokio::test]
async fn openai_chunks_are_byte_for_byte_those_of_the_real_api() {
    let mock = Mock::start(everything());
    let mut body = chat(true);
    body["stream_options"] = json!({ "include_usage": true });

    let response = mock.post(CHAT, &body).await;

    let first = &response.data()[0];
    let (id, fingerprint) = (
        first["id"].as_str().expect("an id"),
        first["system_fingerprint"].as_str().expect("one"),
    );
    assert!(id.starts_with("chatcmpl-") && id.len() == 38, "{id}");
    let envelope = format!(
        r#"{{"id":"{id}","object":"chat.completion.chunk","created":1767225600,"model":"m","service_tier":"default","system_fingerprint":"{fingerprint}","choices":["#
    );
    let chunk = |delta: &str, finish: &str| {
        format!(
            r#"data: {envelope}{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}],"usage":null}}"#
        )
    };
    let call = |inner: &str| format!(r#"{{"tool_calls":[{inner}]}}"#);
    let expected = [
        chunk(
            r#"{"role":"assistant","content":"","refusal":null}"#,
            "null",
        ),
        chunk(r#"{"reasoning_content":"hm"}"#, "null"),
        chunk(r#"{"content":"Hi"}"#, "null"),
        chunk(r#"{"content":"!"}"#, "null"),
        chunk(
            &call(
                r#"{"index":0,"id":"t1","type":"function","function":{"name":"Read","arguments":""}}"#,
            ),
            "null",
        ),
        chunk(
            &call(r#"{"index":0,"function":{"arguments":"{\"path"}}"#),
            "null",
        ),
        chunk(
            &call(r#"{"index":0,"function":{"arguments":"\":\"ü\"}"}}"#),
            "null",
        ),
        chunk("{}", r#""tool_calls""#),
        format!(
            r#"data: {envelope}],"usage":{{"prompt_tokens":6,"completion_tokens":9,"total_tokens":15,"prompt_tokens_details":{{"cached_tokens":2,"cache_write_tokens":1,"audio_tokens":0}},"completion_tokens_details":{{"reasoning_tokens":4,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}}}}"#
        ),
        "data: [DONE]".to_owned(),
    ];
    similar_asserts::assert_eq!(response.text(), expected.join("\n\n") + "\n\n");
}

#[tokio::test]
async fn usage_is_in_no_chunk_unless_requested() {
    let mock = Mock::start(json!([{ "text": "x" }, { "tool_calls": [{ "name": "A" }] }]));

    let plain = mock.post(CHAT, &chat(true)).await;
    let calls = mock.post(CHAT, &chat(true)).await;

    assert!(
        plain
            .data()
            .iter()
            .all(|chunk| chunk.get("usage").is_none() && chunk["choices"][0]["index"] == 0)
    );
    assert_eq!(plain.data()[0]["choices"][0]["delta"]["content"], "");
    assert_eq!(
        calls.data()[0]["choices"][0]["delta"]["content"],
        Value::Null
    );
}

#[tokio::test]
async fn an_answer_without_streaming_is_one_document() {
    let mut script = everything();
    script
        .as_array_mut()
        .expect("a list")
        .extend(everything().as_array().expect("a list").clone());
    let mock = Mock::start(script);

    let anthropic = mock.post(MESSAGES, &messages(false)).await;
    let openai = mock.post(CHAT, &chat(false)).await;

    assert_eq!(anthropic.header("content-type"), Some("application/json"));
    let message = anthropic.json();
    assert_eq!(
        message["content"],
        json!([
            { "type": "thinking", "thinking": "hm", "signature": "sig" },
            { "type": "text", "text": "Hi!" },
            { "type": "tool_use", "id": "t1", "name": "Read", "input": { "path": "ü" } },
        ])
    );
    assert_eq!(
        (&message["stop_reason"], &message["usage"]["output_tokens"]),
        (&json!("tool_use"), &json!(9))
    );
    let choice = &openai.json()["choices"][0];
    assert_eq!(choice["message"]["content"], "Hi!");
    assert_eq!(choice["message"]["reasoning_content"], "hm");
    assert_eq!(
        choice["message"]["tool_calls"][0]["function"],
        json!({ "name": "Read", "arguments": "{\"path\":\"ü\"}" })
    );
    assert_eq!(
        (
            &choice["finish_reason"],
            &openai.json()["usage"]["total_tokens"]
        ),
        (&json!("tool_calls"), &json!(15))
    );
}

#[tokio::test]
async fn an_error_ends_a_stream_and_turns_a_document_into_an_http_error() {
    let broken = json!({ "content": [{ "text": "x" }, { "error": { "type": "overloaded_error", "message": "Overloaded" } }] });
    let mock = Mock::start(json!([broken, broken, broken, broken]));

    let anthropic = mock.post(MESSAGES, &messages(true)).await;
    let openai = mock.post(CHAT, &chat(true)).await;
    let document = mock.post(MESSAGES, &messages(false)).await;
    let unknown = mock.post(CHAT, &chat(false)).await;

    let last = anthropic.events().pop().expect("an event");
    assert_eq!(last.0.as_deref(), Some("error"));
    assert_eq!(
        last.1,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
    );
    let last = openai.events().pop().expect("an event");
    assert_eq!(
        last,
        (
            None,
            r#"{"error":{"message":"Overloaded","type":"server_error","param":null,"code":null}}"#
                .to_owned()
        )
    );
    assert_eq!((document.status, unknown.status), (529, 500));
}

#[tokio::test]
async fn an_http_error_has_the_document_and_the_headers_of_its_wire() {
    let limited = json!({ "error": { "status": 429, "headers": { "retry-after": 3 } } });
    let html = json!({ "error": { "status": 502, "body": "<html>", "headers": { "x-a": "b" } } });
    let mock = Mock::start(
        json!([limited, limited, html, { "error": { "status": 304, "body": "" } }, { "text": "x" }]),
    );

    let anthropic = mock.post(MESSAGES, &messages(true)).await;
    let openai = mock.post(CHAT, &chat(true)).await;
    let mut client = mock.connect().await;
    client.post(CHAT, &chat(true)).await;
    let html = client.response().await;
    client.post(CHAT, &chat(true)).await;
    let redirect = client.response().await;
    client.post(CHAT, &chat(true)).await;
    let after = client.response().await;

    let id = anthropic.header("request-id").expect("an id").to_owned();
    assert_eq!(anthropic.json()["request_id"], id);
    assert_eq!(anthropic.json()["error"]["type"], "rate_limit_error");
    assert_eq!(
        (
            anthropic.status,
            anthropic.header("retry-after"),
            anthropic.header("x-should-retry")
        ),
        (429, Some("3"), Some("true"))
    );
    assert_eq!(
        anthropic.header("anthropic-ratelimit-tokens-remaining"),
        Some("0")
    );
    assert_eq!(openai.json()["error"]["code"], "rate_limit_exceeded");
    assert_eq!(openai.header("x-ratelimit-remaining-requests"), Some("0"));
    assert!(openai.header("x-request-id").is_some());
    assert_eq!(
        (html.status, html.text().as_str(), html.header("x-a")),
        (502, "<html>", Some("b"))
    );
    assert_eq!(
        html.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(
        (redirect.status, redirect.body.len(), after.status),
        (304, 0, 200)
    );
}

#[tokio::test]
async fn a_status_without_a_usual_error_has_that_of_a_request_that_is_not_valid() {
    let responses = json!({ "model": "m", "input": "x", "stream": true });
    for (path, body) in [
        (MESSAGES, messages(true)),
        (CHAT, chat(true)),
        (RESPONSES, responses),
    ] {
        let mock = Mock::start(json!([{ "error": { "status": 418 } }]));
        let error = mock.post(path, &body).await;
        assert_eq!(error.status, 418);
        assert_eq!(error.json()["error"]["type"], "invalid_request_error");
    }
}

#[tokio::test]
async fn token_counts_and_model_lists_take_no_reply() {
    let mut mock = Mock::start(json!([{ "text": "x" }]));
    let mut client = mock.connect().await;
    let anthropic = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";

    client
        .request(
            "POST",
            "/v1/messages/count_tokens?beta=true",
            anthropic,
            &messages(false).to_string(),
        )
        .await;
    let count = client.response().await;
    client.request("GET", "/v1/models", anthropic, "").await;
    let theirs = client.response().await;
    client
        .request("GET", "/v1/models", "authorization: Bearer k\r\n", "")
        .await;
    let ours = client.response().await;
    client
        .request("GET", "/v1/models/mock-model", anthropic, "")
        .await;
    let one = client.response().await;

    assert!(count.json()["input_tokens"].as_u64().expect("a number") > 0);
    assert_eq!(
        (&theirs.json()["has_more"], &theirs.json()["first_id"]),
        (&json!(false), &json!("mock-model"))
    );
    assert_eq!(
        (&ours.json()["object"], &ours.json()["data"][0]["object"]),
        (&json!("list"), &json!("model"))
    );
    assert_eq!(one.json()["type"], "model");
    assert_eq!(mock.end().await.1, 200);
    assert_eq!(mock.server.unused().len(), 1);
}

#[tokio::test]
async fn the_same_script_and_seed_give_the_same_bytes() {
    let script = json!([{ "tool_calls": [{ "name": "A" }], "thinking": "hm", "repeat": 2 }, { "text": "y" }]);
    let mut runs = Vec::new();
    for _ in 0..2 {
        let mock = Mock::start(script.clone());
        let mut bytes = Vec::new();
        for (path, body) in [
            (MESSAGES, messages(true)),
            (CHAT, chat(true)),
            (MESSAGES, messages(false)),
        ] {
            let response = mock.post(path, &body).await;
            bytes.push((response.head, response.body));
        }
        runs.push(bytes);
    }

    assert_eq!(runs[0], runs[1]);
    let ids = |body: &[u8]| {
        String::from_utf8_lossy(body)
            .split("\"id\":\"")
            .nth(1)
            .map(|id| id[..20].to_owned())
    };
    assert_ne!(ids(&runs[0][0].1), ids(&runs[0][2].1));
}

#[tokio::test]
async fn raw_bytes_and_pings_are_sent_as_written() {
    let content = json!([{ "ping": true }, { "text": "x" }, { "raw": "event: content_block_delta\ndata: {\"ty" }, { "cut": "end" }]);
    let mock = Mock::start(json!([{ "content": content }, { "content": content }]));

    let anthropic = mock.post(MESSAGES, &messages(true)).await;
    let openai = mock.post(CHAT, &chat(true)).await;

    assert!(
        anthropic
            .text()
            .starts_with("event: ping\ndata: {\"type\":\"ping\"}\n\nevent: message_start\n")
    );
    assert!(anthropic.text().ends_with("data: {\"ty"));
    assert!(openai.text().starts_with(": ping\n\ndata: {"));
}

/// The events of a reply over the Responses API; each has the name in its data.
async fn responses_events(reply: Value, body: &Value) -> Vec<Value> {
    let response = Mock::start(json!([reply])).post(RESPONSES, body).await;
    let events = response.events().into_iter().map(|(name, data)| {
        let data: Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!(name.as_deref(), data["type"].as_str());
        data
    });
    events.collect()
}

#[tokio::test]
async fn a_stream_of_responses_opens_and_closes_every_item_and_ends_with_the_response() {
    let reply = json!({ "thinking": { "text": "hm", "signature": "sig" }, "text": ["H", "i"], "tool_calls": [{ "id": "c1", "name": "Read", "args": {} }] });
    let mut body = json!({ "model": "m", "input": "x", "include": ["reasoning.encrypted_content"], "store": false, "stream": true });

    let events = responses_events(reply.clone(), &body).await;
    body["stream"] = json!(false);
    let whole = Mock::start(json!([reply])).post(RESPONSES, &body).await;

    let kinds = events.iter().filter_map(|event| event["type"].as_str());
    let kinds = kinds.map(|kind| kind.trim_start_matches("response."));
    let expected = "created in_progress
        output_item.added reasoning_summary_part.added reasoning_summary_text.delta
        reasoning_summary_text.done reasoning_summary_part.done output_item.done
        output_item.added content_part.added output_text.delta output_text.delta
        output_text.done content_part.done output_item.done
        output_item.added function_call_arguments.delta function_call_arguments.delta
        function_call_arguments.done output_item.done
        completed";
    assert!(kinds.eq(expected.split_whitespace()));
    let mut numbered = events.iter().enumerate();
    assert!(numbered.all(|(i, event)| event["sequence_number"] == i));
    let done = events
        .iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| &event["item"]);
    let response = &events[events.len() - 1]["response"];
    assert!(done.eq(response["output"].as_array().expect("a list")));
    assert_eq!(response["output"][0]["encrypted_content"], "sig");
    assert_eq!(response["output"][1]["content"][0]["text"], "Hi");
    assert_eq!(response["output"][2]["arguments"], "{}");
    assert_eq!(response["output"][2]["call_id"], "c1");
    assert_eq!(response["store"], false);
    assert_eq!(response["usage"]["total_tokens"], 12);
    assert_eq!(*response, whole.json());
}

#[tokio::test]
async fn each_way_to_end_has_its_event_in_the_responses_api() {
    let body = json!({ "model": "m", "input": "x", "stream": true });
    let broken = json!({ "error": { "type": "server_error", "message": "m" } });

    let cut = json!({ "text": "x", "stop": "max_tokens" });
    let incomplete = responses_events(cut, &body).await.pop().expect("an event");
    assert_eq!(incomplete["type"], "response.incomplete");
    assert_eq!(
        incomplete["response"]["incomplete_details"]["reason"],
        "max_output_tokens"
    );
    let begun = json!({ "content": [{ "text": "x" }, broken] });
    let failed = responses_events(begun, &body)
        .await
        .pop()
        .expect("an event");
    assert_eq!(failed["type"], "response.failed");
    assert_eq!(
        failed["response"]["error"],
        json!({ "code": "server_error", "message": "m" })
    );
    let error = responses_events(json!({ "content": [broken] }), &body).await;
    assert_eq!(
        error,
        [
            json!({ "type": "error", "sequence_number": 0, "code": "server_error", "message": "m", "param": null })
        ]
    );
}

#[test]
fn a_stream_of_responses_is_decoded_and_a_reasoning_item_kept_whole() {
    let call = json!({ "type": "function_call", "call_id": "c1", "name": "bash" });
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "x" });
    let used = json!({ "input_tokens": 10, "output_tokens": 3, "input_tokens_details": { "cached_tokens": 4 } });
    let mut decoder = ReplyDecoder::new(Wire::OpenAiResponses);
    for event in [
        json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
        json!({ "type": "response.output_item.added", "output_index": 1, "item": call }),
        json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}" }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": call }),
        json!({ "type": "response.completed", "response": { "usage": used } }),
    ] {
        let data = format!("data: {event}\n\n");
        decoder.push(data.as_bytes()).expect("an event");
    }
    assert!(decoder.end());

    let (id, tool) = ("c1".to_owned(), "bash".to_owned());
    let (fragment, signature) = ("{}".to_owned(), reasoning.to_string());
    let block = BlockStart::Call { id, tool };
    let usage = Usage {
        input: 6,
        output: 3,
        cache_read: 4,
        ..Usage::default()
    };
    let thinking = BlockStart::Thinking;
    let expected = [
        Chunk::Start {
            index: 0,
            block: thinking,
        },
        Chunk::Signature {
            index: 0,
            signature,
        },
        Chunk::End { index: 0 },
        Chunk::Start { index: 1, block },
        Chunk::Args { index: 1, fragment },
        Chunk::End { index: 1 },
        Chunk::Usage(usage),
        Chunk::Stop(Stop::ToolUse),
    ];
    assert!(std::iter::from_fn(|| decoder.take()).eq(expected));
}
