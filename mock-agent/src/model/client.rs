//! A model behind HTTP. One connection a request; it is gone as soon as the reply is dropped.

use super::decode::Decode;
use super::sse::Splitter;
use super::{Chunk, Language, ModelError};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{Connection, handshake};
use hyper::{Request, Response, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::net::TcpStream;

/// Where a model is served, and the key to it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    host: String,
    port: u16,
    /// What stands in front of the wire's own path.
    prefix: String,
    key: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}:{}{}", self.host, self.port, self.prefix)
    }
}

/// The most of an error's body that is read.
const ERROR_BODY: usize = 64 << 10;

impl Endpoint {
    /// The endpoint at a base URL such as `http://127.0.0.1:8080`; a trailing `/v1` is taken for the wire's own.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub(crate) fn new(base: &str, key: String) -> Result<Self, String> {
        let uri: Uri = base
            .parse()
            .map_err(|error| format!("{base:?} is not a URL: {error}"))?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(format!("{base}: this agent speaks http:// only, no TLS"));
            }
            _ => return Err(format!("{base:?} is not a URL: it must begin with http://")),
        }
        let host = uri
            .host()
            .ok_or_else(|| format!("{base:?} names no host"))?;
        let path = uri.path().trim_end_matches('/');
        Ok(Endpoint {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(80),
            prefix: path.strip_suffix("/v1").unwrap_or(path).to_owned(),
            key,
        })
    }

    pub(super) async fn ask(
        &self,
        language: Language,
        body: Value,
    ) -> Result<Streamed, ModelError> {
        let (host, port) = (self.host.as_str(), self.port);
        let lost = |error: &dyn std::fmt::Display| {
            ModelError::unreachable(format!("No answer from {host}:{port}: {error}."))
        };
        let stream = TcpStream::connect((host, port))
            .await
            .map_err(|error| lost(&error))?;
        stream.set_nodelay(true).map_err(|error| lost(&error))?;
        let (mut sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| lost(&error))?;
        let mut line = Line::new(connection);
        let request = self.request(language, &body).map_err(ModelError::garbled)?;
        let response = line
            .during(sender.send_request(request))
            .await
            .map_err(|error| lost(&error))?;
        if !response.status().is_success() {
            return Err(refusal(response, line).await);
        }
        Ok(Streamed {
            body: response.into_body(),
            line,
            splitter: Splitter::default(),
            decoder: language.decoder(),
            ready: VecDeque::new(),
            over: false,
        })
    }

    fn request(&self, language: Language, body: &Value) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::post(format!("{}{}", self.prefix, language.wire().path()))
            .header(header::HOST, format!("{}:{}", self.host, self.port))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream")
            .header(header::CONNECTION, "close");
        for (name, value) in language.headers(&self.key) {
            request = request.header(name, value);
        }
        request
            .body(Full::from(body.to_string()))
            .map_err(|error| error.to_string())
    }
}

/// The connection, which does its work only while somebody waits on it.
struct Line {
    connection: std::pin::Pin<Box<Connection<TokioIo<TcpStream>, Full<Bytes>>>>,
    closed: bool,
}

impl Line {
    fn new(connection: Connection<TokioIo<TcpStream>, Full<Bytes>>) -> Self {
        Line {
            connection: Box::pin(connection),
            closed: false,
        }
    }

    /// Waits for `what`, with the connection at work meanwhile.
    async fn during<T>(&mut self, what: impl Future<Output = T>) -> T {
        tokio::pin!(what);
        loop {
            tokio::select! {
                biased;
                done = &mut what => return done,
                _ = &mut self.connection, if !self.closed => self.closed = true,
            }
        }
    }
}

/// What a refusing response says.
async fn refusal(response: Response<Incoming>, mut line: Line) -> ModelError {
    let status = response.status().as_u16();
    let retry_after = response
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse::<f64>().ok())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let mut incoming = response.into_body();
    let mut body = Vec::new();
    while let Some(Ok(frame)) = line.during(incoming.frame()).await {
        body.extend_from_slice(&frame.into_data().unwrap_or_default());
        if body.len() > ERROR_BODY {
            break;
        }
    }
    ModelError::status(status, &body, retry_after)
}

/// A reply as it streams in.
pub(crate) struct Streamed {
    body: Incoming,
    line: Line,
    splitter: Splitter,
    decoder: Box<dyn Decode>,
    ready: VecDeque<Chunk>,
    over: bool,
}

impl Streamed {
    pub(super) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                self.over |= matches!(chunk, Chunk::Stop(_));
                return Some(Ok(chunk));
            }
            if self.over {
                return None;
            }
            if let Err(error) = self.read().await {
                self.over = true;
                return Some(Err(error));
            }
        }
    }

    /// Reads on, until there are chunks or the stream is over.
    async fn read(&mut self) -> Result<(), ModelError> {
        let cut = |why: &dyn std::fmt::Display| {
            ModelError::interrupted(format!("The model's stream broke off: {why}."))
        };
        match self.line.during(self.body.frame()).await {
            Some(Ok(frame)) => {
                let bytes = frame.into_data().unwrap_or_default();
                let events = self
                    .splitter
                    .push(&bytes)
                    .map_err(|_| ModelError::garbled("The model's stream has an endless line."))?;
                for data in events {
                    self.ready.extend(self.decoder.event(&data)?);
                }
                Ok(())
            }
            _ if self.decoder.whole() => {
                self.ready.extend(self.decoder.finish());
                self.over = self.ready.is_empty();
                Ok(())
            }
            Some(Err(error)) => Err(cut(&error)),
            None => Err(cut(&"it ended before the reply did")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_taken_apart() {
        let shown =
            |base: &str| Endpoint::new(base, String::new()).map(|found| format!("{found:?}"));

        assert_eq!(
            shown("http://127.0.0.1:80/v1/"),
            Ok("http://127.0.0.1:80".into())
        );
        assert_eq!(
            shown("http://localhost/proxy"),
            Ok("http://localhost:80/proxy".into())
        );
        assert!(
            shown("https://api.example.com")
                .unwrap_err()
                .contains("no TLS")
        );
        assert!(shown("nonsense").is_err());
    }
}
