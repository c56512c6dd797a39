//! Concurrent clients, some of which disconnect.

mod common;

use std::collections::BTreeMap;

use common::{CHAT, MESSAGES, Mock, chat, messages, soon};
use mock_provider::server::{ExchangeEnd, JournalEvent};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn every_concurrent_request_is_numbered_and_ends_once() {
    const CLIENTS: usize = 120;
    let content = json!([{ "text": ["a", "b"] }, { "delay": "1ms" }, { "text": "c" }]);
    let mut mock = Mock::start(json!([{ "content": content, "repeat": "forever" }]));
    let addr = mock.server.addr();

    let clients = (0..CLIENTS).map(|i| {
        tokio::spawn(async move {
            let mut client = common::Client::connect(addr).await;
            let (path, body) = if i % 2 == 0 {
                (MESSAGES, messages(true))
            } else {
                (CHAT, chat(i % 3 == 0))
            };
            client.post(path, &body).await;
            if i % 5 == 0 {
                return None;
            }
            Some(client.response().await.whole)
        })
    });
    let mut whole = 0;
    for client in clients.collect::<Vec<_>>() {
        whole += usize::from(soon(client).await.expect("no panic").unwrap_or_default());
    }
    assert_eq!(whole, CLIENTS - CLIENTS / 5);
    mock.server.shutdown().await;

    let (mut requests, mut ends) = (Vec::new(), BTreeMap::<u64, Vec<ExchangeEnd>>::new());
    while let Some(entry) = soon(mock.journal.recv()).await {
        match entry.event {
            JournalEvent::Request(arrived) => requests.push(arrived.n),
            JournalEvent::Reply { n, end, .. } => ends.entry(n).or_default().push(end),
            _ => {}
        }
    }
    assert!(requests.iter().copied().eq(0..requests.len() as u64));
    assert!(requests.len() >= whole);
    assert_eq!(ends.len(), requests.len());
    assert!(ends.values().all(|ends| ends.len() == 1));
    assert_eq!(
        ends.values()
            .filter(|ends| ends[0] == ExchangeEnd::Cut)
            .count(),
        0
    );
}

#[tokio::test]
async fn many_servers_start_and_stop() {
    for _ in 0..200 {
        let mock = Mock::start(json!([{ "text": "x" }]));
        assert_eq!(mock.post(MESSAGES, &messages(true)).await.status, 200);
        mock.server.shutdown().await;
    }
}
