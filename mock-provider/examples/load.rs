//! Load test of a server on this machine: `load [SECONDS]`. One core serves, another sends requests over 8 persistent connections.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use mock_provider::Script;
use mock_provider::server::{Server, ServerOptions};
use serde_json::{Value, json};

/// Concurrent connections.
const CONNECTIONS: usize = 8;

fn main() {
    let seconds = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(2.0);
    let length = Duration::from_secs_f64(seconds);
    starts(length);
    let chunks = vec!["word "; 50];
    first_byte(json!([{ "text": chunks, "repeat": "forever" }]));
    for (name, stream, delivery) in [
        ("documents", false, "events"),
        ("streams of 50 events, each a write", true, "events"),
        ("streams of 50 events, one write", true, "whole"),
    ] {
        let script = json!([{ "text": chunks, "repeat": "forever", "delivery": delivery }]);
        let served = serve(script, |addr| load(addr, stream, length));
        println!("{name}: {:.0} a second", served as f64 / seconds);
    }
}

/// Runs a server on another thread while `client` runs on this one.
fn serve<T>(script: Value, client: impl FnOnce(SocketAddr) -> T) -> T {
    let script = Script::from_value(script).expect("a script");
    let (told, addr) = std::sync::mpsc::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let (server, mut journal) =
                Server::start(([127, 0, 0, 1], 0).into(), script, ServerOptions::default())
                    .expect("a server");
            told.send(server.addr()).expect("told");
            tokio::spawn(async move { while journal.recv().await.is_some() {} });
            drop(stopped.await);
            server.shutdown().await;
        });
    });
    let result = client(addr.recv().expect("an address"));
    drop(stop);
    server.join().expect("a server that ends");
    result
}

fn request(stream: bool) -> Vec<u8> {
    let body = json!({ "model": "m", "max_tokens": 9, "stream": stream, "messages": [{ "role": "user", "content": "hello" }] }).to_string();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: h\r\nx-api-key: k\r\nanthropic-version: 1\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

fn load(addr: SocketAddr, stream: bool, length: Duration) -> usize {
    let end: &[u8] = if stream {
        b"0\r\n\r\n"
    } else {
        b"\"standard\"}}"
    };
    let request = request(stream);
    let until = Instant::now() + length;
    let mut connections = (0..CONNECTIONS)
        .map(|_| TcpStream::connect(addr).expect("a connection"))
        .collect::<Vec<_>>();
    let (mut served, mut buffer) = (0, vec![0; 64 * 1024]);
    while Instant::now() < until {
        connections
            .iter_mut()
            .for_each(|connection| connection.write_all(&request).expect("sent"));
        for connection in &mut connections {
            let mut tail = Vec::new();
            while !tail.ends_with(end) {
                let read = connection.read(&mut buffer).expect("an answer");
                tail = [
                    &tail[tail.len().saturating_sub(end.len())..],
                    &buffer[..read],
                ]
                .concat();
            }
            served += 1;
        }
    }
    served
}

/// The time from the connection to the first byte.
fn first_byte(script: Value) {
    let mut times = serve(script, |addr| {
        let once = |_| {
            let start = Instant::now();
            let mut connection = TcpStream::connect(addr).expect("a connection");
            connection.write_all(&request(true)).expect("sent");
            connection.read_exact(&mut [0]).expect("a byte");
            start.elapsed()
        };
        (0..500).map(once).collect::<Vec<_>>()
    });
    times.sort();
    println!(
        "first byte on a new connection: {:?} (median)",
        times[times.len() / 2]
    );
}

fn starts(length: Duration) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let count = runtime.block_on(async {
        let (until, mut count) = (Instant::now() + length, 0u32);
        while Instant::now() < until {
            let script = Script::from_value(json!([{ "text": "x" }])).expect("a script");
            let (server, _journal) =
                Server::start(([127, 0, 0, 1], 0).into(), script, ServerOptions::default())
                    .expect("a server");
            server.shutdown().await;
            count += 1;
        }
        count
    });
    println!("start and stop: {:?}", length / count);
}
