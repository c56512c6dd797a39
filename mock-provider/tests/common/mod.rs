//! Test helpers: a small HTTP client that sees every byte, and a server for it.

#![expect(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

use std::net::SocketAddr;
use std::time::Duration;

use mock_provider::server::{
    ExchangeEnd, Journal, JournalEntry, JournalEvent, Server, ServerOptions,
};
use mock_provider::{Script, ScriptFailure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The timeout of every wait, far above the usual time.
const PATIENCE: Duration = Duration::from_secs(20);

/// Awaits a future with the timeout.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what)
        .await
        .expect("it comes in time")
}

/// A server with its journal.
pub struct Mock {
    pub server: Server,
    pub journal: Journal,
}

impl Mock {
    pub fn start(script: Value) -> Self {
        Mock::with(script, ServerOptions::default())
    }

    pub fn with(script: Value, options: ServerOptions) -> Self {
        let script = Script::from_value(script).expect("a script");
        assert_eq!(script.check(), [], "a good script");
        let (server, journal) =
            Server::start(([127, 0, 0, 1], 0).into(), script, options).expect("a server");
        Mock { server, journal }
    }

    pub async fn connect(&self) -> Client {
        Client::connect(self.server.addr()).await
    }

    /// One exchange on a new connection.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        let mut client = self.connect().await;
        client.post(path, body).await;
        client.response().await
    }

    pub async fn next(&mut self) -> JournalEvent {
        let JournalEntry { event, .. } = soon(self.journal.recv()).await.expect("an entry");
        event
    }

    /// The failures in the journal up to the end of the next exchange.
    pub async fn failures(&mut self) -> Vec<ScriptFailure> {
        let mut failures = Vec::new();
        loop {
            match self.next().await {
                JournalEvent::Failure(failure) => failures.push(failure),
                JournalEvent::Reply { .. } => return failures,
                _ => {}
            }
        }
    }

    /// The end of the next exchange.
    pub async fn end(&mut self) -> (u64, u16, ExchangeEnd) {
        loop {
            if let JournalEvent::Reply { n, status, end, .. } = self.next().await {
                return (n, status, end);
            }
        }
    }
}

/// A response as received.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    /// The HTTP chunks of the body; one for a body of a given length.
    pub chunks: Vec<Vec<u8>>,
    /// Whether the body is complete according to HTTP.
    pub whole: bool,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Events: the `event:` line, and the data.
    pub fn events(&self) -> Vec<(Option<String>, String)> {
        let text = self.text().replace("\r\n", "\n");
        assert!(text.ends_with("\n\n"), "{text:?}");
        let field = |event: &str, name: &str| {
            event
                .lines()
                .find_map(|line| line.strip_prefix(name).map(str::to_owned))
        };
        let events = text
            .split_terminator("\n\n")
            .filter(|event| !event.starts_with(':'));
        events
            .map(|event| {
                (
                    field(event, "event: "),
                    field(event, "data: ").expect("data"),
                )
            })
            .collect()
    }

    /// The data of the events that are JSON.
    pub fn data(&self) -> Vec<Value> {
        self.events()
            .iter()
            .filter_map(|(_, data)| serde_json::from_str(data).ok())
            .collect()
    }
}

/// One connection.
pub struct Client {
    stream: TcpStream,
    /// Bytes read and not yet parsed.
    pending: Vec<u8>,
    pub broken: Option<std::io::ErrorKind>,
}

impl Client {
    pub async fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Client {
            stream,
            pending: Vec::new(),
            broken: None,
        }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("sent");
    }

    /// Posts a body with all the headers that the wires require.
    pub async fn post(&mut self, path: &str, body: &Value) {
        self.post_with(path, body, &[]).await;
    }

    pub async fn post_with(&mut self, path: &str, body: &Value, headers: &[&str]) {
        let auth = if path.contains("messages") {
            "x-api-key: k\r\nanthropic-version: 2023-06-01\r\n"
        } else {
            "authorization: Bearer k\r\n"
        };
        let extra = headers
            .iter()
            .fold(String::new(), |all, header| all + header + "\r\n");
        self.request("POST", path, &format!("{auth}{extra}"), &body.to_string())
            .await;
    }

    /// Sends the bytes of a request.
    pub async fn request(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(format!(
            "{method} {path} HTTP/1.1\r\nhost: h\r\n{headers}content-length: {length}\r\n\r\n{body}"
        ))
        .await;
    }

    /// Reads more. False at the end.
    async fn more(&mut self) -> bool {
        let mut buffer = [0; 4096];
        match soon(self.stream.read(&mut buffer)).await {
            Ok(0) => false,
            Ok(read) => {
                self.pending.extend(&buffer[..read]);
                true
            }
            Err(error) => {
                self.broken = Some(error.kind());
                false
            }
        }
    }

    /// Takes bytes up to and including the mark.
    async fn until(&mut self, mark: &str) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self
                .pending
                .windows(mark.len())
                .position(|window| window == mark.as_bytes())
            {
                return Some(self.pending.drain(..at + mark.len()).collect());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.pending.len() < count {
            if !self.more().await {
                return None;
            }
        }
        Some(self.pending.drain(..count).collect())
    }

    /// The head of a response; none if the connection ends before it.
    pub async fn head(&mut self) -> Option<Response> {
        let head = String::from_utf8(self.until("\r\n\r\n").await?).expect("ASCII");
        let status = head
            .split(' ')
            .nth(1)
            .expect("a status")
            .parse()
            .expect("a number");
        Some(Response {
            status,
            head,
            body: Vec::new(),
            chunks: Vec::new(),
            whole: false,
        })
    }

    /// The next chunk of a chunked body; none at its end.
    pub async fn chunk(&mut self, response: &mut Response) -> Option<Vec<u8>> {
        let length = String::from_utf8(self.until("\r\n").await?).expect("ASCII");
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        let chunk = self.exactly(length + 2).await?[..length].to_vec();
        response.whole = chunk.is_empty();
        response.body.extend(&chunk);
        (!chunk.is_empty()).then(|| {
            response.chunks.push(chunk.clone());
            chunk
        })
    }

    /// Reads chunks until the body contains the text.
    pub async fn read_to(&mut self, response: &mut Response, text: &str) {
        while !String::from_utf8_lossy(&response.body).contains(text) {
            assert!(
                self.chunk(response).await.is_some(),
                "no {text:?} in {:?}",
                String::from_utf8_lossy(&response.body)
            );
        }
    }

    /// A complete response.
    pub async fn response(&mut self) -> Response {
        let mut response = self.head().await.expect("a head");
        if response.header("transfer-encoding") == Some("chunked") {
            while self.chunk(&mut response).await.is_some() {}
            return response;
        }
        if response.status == 304 {
            return response;
        }
        let length = response
            .header("content-length")
            .map(|length| length.parse::<usize>().expect("a number"));
        while length.is_none_or(|length| self.pending.len() < length) && self.more().await {}
        let taken = length.unwrap_or(self.pending.len()).min(self.pending.len());
        response.whole = length.is_none_or(|length| taken == length);
        response.body = self.pending.drain(..taken).collect();
        response.chunks.push(response.body.clone());
        response
    }

    /// Whether the server closes the connection, without sending anything more.
    pub async fn ends(&mut self) -> bool {
        !self.more().await && self.pending.is_empty()
    }
}

/// A request of an agent to Anthropic.
pub fn messages(stream: bool) -> Value {
    json!({ "model": "m", "max_tokens": 100, "stream": stream, "messages": [{ "role": "user", "content": "hello" }] })
}

/// A request of an agent to OpenAI.
pub fn chat(stream: bool) -> Value {
    json!({ "model": "m", "stream": stream, "messages": [{ "role": "user", "content": "hello" }] })
}

pub const MESSAGES: &str = "/v1/messages";
pub const CHAT: &str = "/v1/chat/completions";
pub const RESPONSES: &str = "/v1/responses";
