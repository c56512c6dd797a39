//! The bytes of Gemini, and conversations over it.

mod common;

use common::Mock;
use mock_provider::server::{JournalEvent, ServerOptions};
use mock_provider::{DecodeError, FailureKind, ReplyDecoder, Wire};
use serde_json::{Value, json};

const STREAM: &str = "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse";
const WHOLE: &str = "/v1beta/models/gemini-3-pro:generateContent";

fn asking(contents: Value) -> Value {
    json!({ "contents": contents })
}

fn hello() -> Value {
    json!({ "role": "user", "parts": [{ "text": "hello" }] })
}

#[tokio::test]
async fn events_are_those_of_the_real_api() {
    let mock = Mock::start(json!([{
        "thinking": { "text": "hm", "signature": "c2ln" },
        "text": ["Hi", "!"],
        "tool_calls": [{ "id": "t1", "name": "Read", "args": { "path": "ü" } }, { "id": "t2", "name": "Write" }],
        "usage": { "input": 3, "output": 9, "cache_read": 2, "cache_write": 1, "reasoning": 4 },
    }]));

    let response = mock.post(STREAM, &asking(json!([hello()]))).await;

    assert_eq!(
        response.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    let id = response.data()[0]["responseId"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert_eq!(id.len(), 23, "{id}");
    let early = r#""usageMetadata":{"promptTokenCount":6,"totalTokenCount":6,"cachedContentTokenCount":2,"promptTokensDetails":[{"modality":"TEXT","tokenCount":6}]}"#;
    let last = r#""usageMetadata":{"promptTokenCount":6,"candidatesTokenCount":5,"totalTokenCount":15,"cachedContentTokenCount":2,"promptTokensDetails":[{"modality":"TEXT","tokenCount":6}],"thoughtsTokenCount":4}"#;
    let event = |part: &str, finish: &str, usage: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}],\"role\":\"model\"}},{finish}\"index\":0}}],{usage},\"modelVersion\":\"gemini-3-pro\",\"responseId\":\"{id}\"}}\n\n"
        )
    };
    let expected = [
        event(r#"{"text":"hm","thought":true}"#, "", early),
        event(r#"{"text":"Hi"}"#, "", early),
        event(r#"{"text":"!"}"#, "", early),
        event(
            r#"{"functionCall":{"name":"Read","args":{"path":"ü"},"id":"t1"},"thoughtSignature":"c2ln"}"#,
            "",
            early,
        ),
        event(
            r#"{"functionCall":{"name":"Write","args":{},"id":"t2"}}"#,
            r#""finishReason":"STOP","#,
            last,
        ),
    ];
    similar_asserts::assert_eq!(response.text(), expected.concat());
}

#[tokio::test]
async fn results_without_ids_belong_to_the_calls_of_their_names_in_order() {
    let script = json!([
        { "tool_calls": [{ "id": "t1", "name": "Read", "args": { "path": "a" } }, { "id": "t2", "name": "Read", "args": { "path": "b" } }] },
        {
            "when": { "tool_result": [
                { "call": "t1", "is_error": true, "contains": "gone" },
                { "call": "t2", "contains": "text of b" },
            ] },
            "text": "Done.",
        },
    ]);
    let mut mock = Mock::start(script);
    let answer = mock.post(WHOLE, &asking(json!([hello()]))).await.json();
    let mut parts = answer["candidates"][0]["content"]["parts"].clone();
    for part in parts.as_array_mut().expect("a list") {
        let call = part["functionCall"].as_object_mut().expect("a call");
        call.shift_remove("id").expect("an id");
    }
    let result =
        |response: Value| json!({ "functionResponse": { "name": "Read", "response": response } });
    let results = [
        result(json!({ "error": "gone" })),
        result(json!({ "output": "text of b" })),
    ];
    let contents = json!([
        hello(),
        { "role": "model", "parts": parts },
        { "role": "user", "parts": results },
    ]);

    let answer = mock.post(WHOLE, &asking(contents)).await.json();

    let done = &answer["candidates"][0]["content"]["parts"];
    assert_eq!(*done, json!([{ "text": "Done." }]));
    assert_eq!(mock.failures().await, []);
    assert_eq!(mock.failures().await, []);
}

#[tokio::test]
async fn an_expectation_sees_the_model_and_names_in_camel_case() {
    let body = json!({ "model": "gemini-3-pro", "generationConfig": { "maxOutputTokens": 5 } });
    let mut mock = Mock::start(json!([
        { "expect_request": { "body": body, "contains": ["Be brief.", "hello"] }, "text": "x" },
        { "expect_request": { "not_contains": "hello" }, "text": "y" },
    ]));
    let sent = json!({
        "contents": { "parts": { "text": "hello" } },
        "system_instruction": { "parts": { "text": "Be brief." } },
        "generation_config": { "max_output_tokens": 5 },
    });

    mock.post(WHOLE, &sent).await;
    mock.post(
        STREAM,
        &asking(json!([hello(), { "role": "model", "parts": [{ "text": "x" }] }, hello()])),
    )
    .await;

    assert_eq!(mock.failures().await, []);
    let [failure] = mock.failures().await.try_into().expect("one failure");
    assert_eq!(failure.kind, FailureKind::Expectation);
}

#[tokio::test]
async fn a_key_is_required_in_one_of_its_places_and_is_not_in_the_journal() {
    let mut mock = Mock::start(json!([{ "text": "x", "repeat": 3 }]));
    let body = asking(json!([hello()])).to_string();
    for (path, headers, status) in [
        (WHOLE.to_owned(), "", 403),
        (format!("{WHOLE}?key="), "", 403),
        (format!("{WHOLE}?key=secret"), "", 200),
        (WHOLE.to_owned(), "x-goog-api-key: secret\r\n", 200),
        (WHOLE.to_owned(), "authorization: Bearer secret\r\n", 200),
    ] {
        let mut client = mock.connect().await;
        client.request("POST", &path, headers, &body).await;
        let response = client.response().await;
        assert_eq!(response.status, status, "{path} {headers}");
        if status == 403 {
            assert_eq!(response.json()["error"]["status"], "PERMISSION_DENIED");
        }
        let JournalEvent::Request(request) = mock.next().await else {
            panic!("a request");
        };
        assert!(!format!("{request:?}").contains("secret"), "{request:?}");
        mock.end().await;
    }
}

#[test]
fn an_error_between_the_events_is_decoded_in_any_chunking() {
    let stream = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\r\n\r\n{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"Busy\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n";
    for size in 1..stream.len() {
        let mut decoder = ReplyDecoder::new(Wire::Gemini);
        let mut chunks = stream.as_bytes().chunks(size);
        let error = chunks.find_map(|bytes| decoder.push(bytes).err());
        let Some(DecodeError::Reported(error)) = error else {
            panic!("an error: {error:?}");
        };
        assert_eq!((&*error.kind, &*error.message), ("UNAVAILABLE", "Busy"));
    }
}

#[tokio::test]
async fn a_server_that_is_lenient_answers_what_the_api_refuses() {
    let body = asking(json!([{ "role": "model", "parts": [] }]));
    for (lenient, status) in [(false, 400), (true, 200)] {
        let options = ServerOptions {
            lenient,
            ..ServerOptions::default()
        };
        let mock = Mock::with(json!([{ "text": "x" }]), options);
        assert_eq!(mock.post(WHOLE, &body).await.status, status);
    }
}
