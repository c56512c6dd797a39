//! Requests that the real API would refuse, and the request in the journal.

mod common;

use common::{CHAT, MESSAGES, Mock, Response, chat, messages};
use mock_provider::FailureKind;
use mock_provider::server::{JournalEvent, ServerOptions};
use serde_json::json;

#[tokio::test]
async fn a_request_that_the_real_api_refuses_gets_its_error_and_takes_no_reply() {
    let mut mock = Mock::with(
        json!([{ "text": "x" }]),
        ServerOptions {
            max_body: 1000,
            ..ServerOptions::default()
        },
    );
    let anthropic = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";
    let openai = "authorization: Bearer k\r\n";
    let large = "x".repeat(2000);
    let good = messages(true).to_string();
    let cases: [(&str, &str, &str, &str, u16, &str); 10] = [
        (
            "POST",
            MESSAGES,
            "anthropic-version: 2023-06-01\r\n",
            &good,
            401,
            "authentication_error",
        ),
        (
            "POST",
            MESSAGES,
            "x-api-key: k\r\n",
            &good,
            400,
            "anthropic-version: header is required",
        ),
        (
            "POST",
            MESSAGES,
            anthropic,
            "{",
            400,
            "The request body is not valid JSON",
        ),
        (
            "POST",
            MESSAGES,
            anthropic,
            "[]",
            400,
            "Input should be a valid dictionary",
        ),
        (
            "POST",
            MESSAGES,
            anthropic,
            &large,
            413,
            "request_too_large",
        ),
        ("GET", MESSAGES, anthropic, "", 405, "Method Not Allowed"),
        (
            "POST",
            CHAT,
            "",
            &good,
            401,
            "You didn't provide an API key",
        ),
        (
            "POST",
            CHAT,
            openai,
            "{",
            400,
            "We could not parse the JSON body",
        ),
        (
            "PUT",
            CHAT,
            openai,
            "{}",
            405,
            "Not allowed to PUT on /v1/chat/completions",
        ),
        (
            "GET",
            "/v1/models",
            "",
            "",
            401,
            "You didn't provide an API key",
        ),
    ];
    for (method, path, headers, body, status, words) in cases {
        let mut client = mock.connect().await;
        client.request(method, path, headers, body).await;
        let response: Response = client.response().await;

        assert_eq!(
            response.status,
            status,
            "{method} {path}: {}",
            response.text()
        );
        assert!(response.text().contains(words), "{}", response.text());
        let [failure] = mock.failures().await.try_into().expect("one failure");
        assert_eq!(failure.kind, FailureKind::Refused);
    }
    let mut client = mock.connect().await;
    client.request("HEAD", "/", "", "").await;
    assert_eq!(client.head().await.expect("a head").status, 404);
    assert_eq!(mock.server.unused().len(), 1);
}

#[tokio::test]
async fn a_server_without_keys_serves_requests_without_keys() {
    let mock = Mock::with(
        json!([{ "text": "x", "repeat": 2 }]),
        ServerOptions {
            keyless: true,
            ..ServerOptions::default()
        },
    );
    let mut client = mock.connect().await;

    client
        .request("POST", CHAT, "", &chat(true).to_string())
        .await;
    assert_eq!(client.response().await.status, 200);
    client
        .request(
            "POST",
            MESSAGES,
            "anthropic-version: 1\r\n",
            &messages(true).to_string(),
        )
        .await;
    assert_eq!(client.response().await.status, 200);
}

#[tokio::test]
async fn a_request_for_a_preview_may_have_members_of_its_own() {
    let mock = Mock::start(json!([{ "text": "x" }]));
    let mut body = messages(true);
    body["model"] = json!("claude-opus-4-8");
    body["of_a_preview"] = json!({});
    let headers = "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n";
    for (beta, status) in [("", 400), ("anthropic-beta: preview-2026-11-01\r\n", 200)] {
        let mut client = mock.connect().await;
        let headers = format!("{headers}{beta}");
        client
            .request("POST", MESSAGES, &headers, &body.to_string())
            .await;
        assert_eq!(client.response().await.status, status, "{beta}");
    }
}

#[tokio::test]
async fn the_journal_has_the_request_as_received() {
    let mut mock = Mock::start(json!([{ "text": "x" }]));
    let body = r#"{ "model":"m",  "max_tokens":1, "messages":[{"role":"user","content":[{"type":"text","text":"h","cache_control":{"type":"ephemeral"}}]}] }"#;
    let mut client = mock.connect().await;
    client
        .request(
            "POST",
            "/v1/messages?beta=true",
            "X-Api-Key: sk-secret\r\nanthropic-version: 1\r\n",
            body,
        )
        .await;
    client.response().await;

    let JournalEvent::Request(arrived) = mock.next().await else {
        panic!("a request")
    };
    assert_eq!(
        (arrived.n, arrived.path.as_str(), arrived.query.as_str()),
        (0, MESSAGES, "beta=true")
    );
    assert_eq!(arrived.body, body.as_bytes());
    assert_eq!(arrived.json()["max_tokens"], 1);
    assert_eq!(arrived.headers["x-api-key"], "sk-secret");
    assert!(!format!("{arrived:?}").contains("sk-secret"));
}
