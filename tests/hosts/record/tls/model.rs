//! A model behind TLS that answers one request, in two parts.

use super::authority::Authority;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// The text of the first part.
pub(super) const FIRST: &str = "the first part";
/// The text of the second part.
pub(super) const LAST: &str = "the last part";

const TIMEOUT: Duration = Duration::from_secs(60);

/// What the model was asked.
pub(super) struct Request {
    /// The name that the client sent in the TLS handshake.
    pub(super) server_name: String,
    /// The head, to its empty line.
    pub(super) head: String,
}

pub(super) struct Model {
    pub(super) port: u16,
    requests: Receiver<Request>,
    go_on: Sender<()>,
}

impl Model {
    pub(super) fn start(authority: &Authority, name: &str) -> Self {
        let config = authority.server(name);
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, requests) = channel();
        let (go_on, gate) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Fails if the client trusts the certificate as little as it should.
                let _ = answer(stream, &config, &asked, &gate);
            }
        });
        Model {
            port,
            requests,
            go_on,
        }
    }

    /// Lets the model send the second part.
    pub(super) fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    pub(super) fn request(&self) -> Request {
        self.requests.recv_timeout(TIMEOUT).unwrap()
    }
}

fn answer(
    stream: TcpStream,
    config: &Arc<ServerConfig>,
    asked: &Sender<Request>,
    gate: &Receiver<()>,
) -> std::io::Result<()> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    stream.read_exact(&mut vec![0; length.unwrap_or(0)])?;
    let mut stream = stream.into_inner();
    let server_name = stream.conn.server_name().unwrap_or_default().to_owned();
    let _ = asked.send(Request { server_name, head });
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )?;
    chunk(
        &mut stream,
        &[
            json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant", "model": "any", "content": [], "usage": { "input_tokens": 1, "output_tokens": 1 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            delta(FIRST),
        ],
    )?;
    let _ = gate.recv_timeout(TIMEOUT);
    chunk(
        &mut stream,
        &[
            delta(LAST),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 2 } }),
            json!({ "type": "message_stop" }),
        ],
    )?;
    stream.write_all(b"0\r\n\r\n")
}

fn delta(text: &str) -> Value {
    json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
}

/// Sends server-sent events as one chunk.
fn chunk(stream: &mut impl Write, events: &[Value]) -> std::io::Result<()> {
    let events = events.iter().map(|event| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    });
    let text: String = events.collect();
    write!(stream, "{:x}\r\n{text}\r\n", text.len())
}
