//! Delivery of answers: gates, stalls, cuts, and clients that disconnect.

mod common;

use common::{CHAT, MESSAGES, Mock, chat, messages, soon};
use mock_provider::server::{ExchangeEnd, JournalEvent};
use serde_json::json;

#[tokio::test]
async fn a_complete_stream_ends_as_complete() {
    let mut mock = Mock::start(json!([{ "text": ["Hi", " there"] }]));

    let response = mock.post(MESSAGES, &messages(true)).await;

    assert_eq!((response.status, response.whole), (200, true));
    let kinds = response
        .data()
        .iter()
        .map(|data| data["type"].as_str().expect("a type").to_owned())
        .collect::<Vec<_>>();
    assert_eq!(
        kinds,
        [
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
    assert!(
        response
            .events()
            .iter()
            .zip(&kinds)
            .all(|((name, _), kind)| name.as_ref() == Some(kind))
    );
    assert_eq!(mock.end().await, (0, 200, ExchangeEnd::Complete));
    assert_eq!(mock.server.unused(), []);
    mock.server.shutdown().await;
    assert!(soon(mock.journal.recv()).await.is_none());
}

#[tokio::test]
async fn a_gate_holds_the_stream_until_its_release() {
    let mut mock = Mock::start(
        json!([{ "content": [{ "text": "before" }, { "gate": "g" }, { "text": "after" }] }]),
    );
    let mut client = mock.connect().await;
    client.post(MESSAGES, &messages(true)).await;
    let mut response = client.head().await.expect("a head");
    client.read_to(&mut response, "before").await;
    assert!(matches!(mock.next().await, JournalEvent::Request(_)));
    assert_eq!(
        mock.next().await,
        JournalEvent::Waiting {
            n: 0,
            gate: "g".into()
        }
    );

    assert!(!mock.server.release("h"));
    assert!(mock.server.release("g"));

    client.read_to(&mut response, "message_stop").await;
    assert_eq!(mock.end().await, (0, 200, ExchangeEnd::Complete));
}

#[tokio::test]
async fn a_client_that_disconnects_during_a_wait_is_noticed() {
    let waits = [
        json!({ "content": [{ "text": "x" }, { "gate": "a" }] }),
        json!({ "content": [{ "text": "x" }, { "stall": true }] }),
        json!({ "content": [{ "text": "x" }, { "stall": { "pings": "1ms" } }] }),
        json!({ "content": [{ "text": "x" }, { "delay": "1h" }, { "text": "y" }] }),
        json!({ "text": "x", "gate": "b" }),
        json!({ "text": "x", "delay": "1h" }),
    ];
    for (path, body) in [
        (MESSAGES, messages(true)),
        (CHAT, chat(true)),
        (MESSAGES, messages(false)),
    ] {
        let mut mock = Mock::start(json!(waits));
        for (n, reply) in waits.iter().enumerate() {
            let mut client = mock.connect().await;
            client.post(path, &body).await;
            if body["stream"] == true && reply.get("gate").is_none() && reply.get("delay").is_none()
            {
                let mut response = client.head().await.expect("a head");
                client.read_to(&mut response, "\"x\"").await;
            } else {
                while !matches!(mock.next().await, JournalEvent::Request(_)) {}
            }

            drop(client);

            assert_eq!(
                mock.end().await,
                (n as u64, 200, ExchangeEnd::ClientClosed),
                "{path} {reply}"
            );
        }
    }
}

#[tokio::test]
async fn a_client_that_resets_is_noticed() {
    let mut mock = Mock::start(json!([{ "content": [{ "text": "x" }, { "stall": true }] }]));
    let stream = tokio::net::TcpStream::connect(mock.server.addr())
        .await
        .expect("a connection");
    stream.set_zero_linger().expect("linger");
    let body = messages(true).to_string();
    let head = format!(
        "POST {MESSAGES} HTTP/1.1\r\nhost: h\r\nx-api-key: k\r\nanthropic-version: 1\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.writable().await.expect("writable");
    stream.try_write((head + &body).as_bytes()).expect("sent");
    assert!(matches!(mock.next().await, JournalEvent::Request(_)));

    drop(stream);

    assert_eq!(mock.end().await, (0, 200, ExchangeEnd::ClientClosed));
}

#[tokio::test]
async fn each_cut_looks_different_to_the_client() {
    for (cut, broken, whole) in [
        ("close", None, false),
        ("reset", Some(std::io::ErrorKind::ConnectionReset), false),
        ("end", None, true),
    ] {
        let mut mock = Mock::start(json!([{ "content": [{ "text": "part" }, { "cut": cut }] }]));
        let mut client = mock.connect().await;
        client.post(CHAT, &chat(true)).await;

        let response = client.response().await;

        assert!(
            response.text().contains("part") && !response.text().contains("[DONE]"),
            "{cut}"
        );
        assert_eq!((client.broken, response.whole), (broken, whole), "{cut}");
        assert_eq!(mock.end().await, (0, 200, ExchangeEnd::Cut), "{cut}");
    }
}

#[tokio::test]
async fn a_cut_can_come_before_the_head() {
    for (cut, broken) in [
        ("close", None),
        ("reset", Some(std::io::ErrorKind::ConnectionReset)),
    ] {
        let mut mock = Mock::start(json!([{ "cut": cut }]));
        let mut client = mock.connect().await;
        client.post(MESSAGES, &messages(true)).await;

        assert!(client.head().await.is_none());

        assert_eq!(client.broken, broken);
        assert_eq!(mock.end().await.2, ExchangeEnd::Cut);
    }
}

#[tokio::test]
async fn a_document_that_is_cut_is_shorter_than_its_content_length() {
    let mock = Mock::start(
        json!([{ "content": [{ "text": "x" }, { "cut": "close" }] }, { "content": [{ "text": "x" }, { "cut": "end" }] }]),
    );

    let closed = mock.post(MESSAGES, &messages(false)).await;
    let ended = mock.post(MESSAGES, &messages(false)).await;

    assert!(!closed.whole && !closed.body.is_empty());
    assert!(ended.whole && serde_json::from_slice::<serde_json::Value>(&ended.body).is_err());
}

#[tokio::test]
async fn every_event_is_one_write_by_default() {
    let text = json!(["one", "zwölf", "three"]);
    let mock = Mock::start(json!([
        { "text": text },
        { "text": text, "delivery": { "whole": true } },
        { "text": text, "delivery": { "every": 7 } },
        { "text": text, "delivery": { "at": [3, 100] } },
        { "text": text, "delivery": { "every": 1, "crlf": true } },
    ]));
    let mut responses = Vec::new();
    for _ in 0..5 {
        responses.push(mock.post(CHAT, &chat(true)).await);
    }

    let [events, whole, sevens, split, trickle] = responses.as_slice() else {
        panic!("five")
    };
    let ids = |response: &common::Response| response.data()[0]["id"].clone();
    assert_eq!(events.chunks.len(), events.events().len());
    assert!(
        events
            .chunks
            .iter()
            .all(|chunk| chunk.starts_with(b"data: ") && chunk.ends_with(b"\n\n"))
    );
    assert_eq!(whole.chunks.len(), 1);
    assert!(
        sevens
            .chunks
            .iter()
            .rev()
            .skip(1)
            .all(|chunk| chunk.len() == 7)
    );
    assert_eq!(
        split
            .chunks
            .iter()
            .map(Vec::len)
            .take(2)
            .collect::<Vec<_>>(),
        [3, 97]
    );
    assert_eq!(split.chunks.len(), 3);
    assert!(
        trickle.chunks.iter().all(|chunk| chunk.len() == 1) && trickle.text().contains("\r\n\r\n")
    );
    let content = |response: &common::Response| {
        let id = ids(response);
        response
            .text()
            .replace("\r\n", "\n")
            .replace(id.as_str().expect("an id"), "ID")
    };
    let plain = content(events)
        .split("\"created\"")
        .map(|part| part[11..].to_owned())
        .collect::<String>();
    for other in [whole, sevens, split, trickle] {
        assert_eq!(
            content(other)
                .split("\"created\"")
                .map(|part| part[11..].to_owned())
                .collect::<String>(),
            plain
        );
    }
}

#[tokio::test]
async fn pings_are_sent_during_a_stall() {
    let mut mock = Mock::start(
        json!([{ "content": [{ "text": "x" }, { "stall": { "for": "30ms", "pings": "1ms" } }, { "text": "y" }] }]),
    );

    let response = mock.post(MESSAGES, &messages(true)).await;

    let pings = response
        .data()
        .iter()
        .filter(|data| data["type"] == "ping")
        .count();
    assert!(pings > 2 && response.text().contains("\"y\""), "{pings}");
    assert_eq!(mock.end().await.2, ExchangeEnd::Complete);
}

#[tokio::test]
async fn a_shutdown_closes_connections_and_adds_the_cuts_to_the_journal() {
    let mut mock = Mock::start(json!([{ "content": [{ "text": "x" }, { "stall": true }] }]));
    let mut client = mock.connect().await;
    let mut idle = mock.connect().await;
    client.post(MESSAGES, &messages(true)).await;
    let mut response = client.head().await.expect("a head");
    client.read_to(&mut response, "\"x\"").await;

    mock.server.shutdown().await;

    while client.chunk(&mut response).await.is_some() {}
    assert!(!response.whole);
    assert!(idle.ends().await);
    let mut last = None;
    while let Some(entry) = soon(mock.journal.recv()).await {
        last = Some(entry.event);
    }
    assert_eq!(
        last,
        Some(JournalEvent::Reply {
            n: 0,
            status: 200,
            reply: Some(0),
            message: None,
            end: ExchangeEnd::Cut
        })
    );
}

#[tokio::test]
async fn a_client_that_disconnected_before_the_shutdown_is_not_reported_as_cut() {
    for _ in 0..50 {
        let mut mock = Mock::start(json!([{ "content": [{ "text": "x" }, { "stall": true }] }]));
        let mut client = mock.connect().await;
        client.post(MESSAGES, &messages(true)).await;
        let mut response = client.head().await.expect("a head");
        client.read_to(&mut response, "\"x\"").await;

        drop(client);
        mock.server.shutdown().await;

        let mut last = None;
        while let Some(entry) = soon(mock.journal.recv()).await {
            last = Some(entry.event);
        }
        assert_eq!(
            last,
            Some(JournalEvent::Reply {
                n: 0,
                status: 200,
                reply: Some(0),
                message: None,
                end: ExchangeEnd::ClientClosed
            })
        );
    }
}

#[tokio::test]
async fn connections_are_kept_alive_unless_the_client_closes_them() {
    let mock = Mock::start(json!([{ "text": "x", "repeat": "forever" }]));
    let mut client = mock.connect().await;
    for stream in [true, false, true] {
        client.post(MESSAGES, &messages(stream)).await;
        assert!(client.response().await.whole);
    }

    client
        .post_with(MESSAGES, &messages(true), &["connection: close"])
        .await;
    assert!(client.response().await.whole);
    assert!(client.ends().await);
}
