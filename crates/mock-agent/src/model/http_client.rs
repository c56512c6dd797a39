//! HTTP client of the model: one connection per request, closed when the reply is dropped. Reads `retry-after`.

use super::error::ModelError;
use super::wires;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{Connection, handshake};
use hyper::{Request, Response, Uri, header};
use hyper_util::rt::TokioIo;
use mock_provider::Wire;
use serde_json::Value;
use thiserror::Error;
use tokio::net::TcpStream;

/// The address of a model, and the API key for it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    host: String,
    port: u16,
    /// The path before the wire's own.
    prefix: String,
    key: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}:{}{}", self.host, self.port, self.prefix)
    }
}

/// Why a text is not the base URL of a model's API.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum UrlError {
    #[error("{url:?} is not a URL: {why}")]
    Syntax { url: String, why: String },
    #[error("{url}: this agent speaks http:// only, no TLS")]
    Tls { url: String },
    #[error("{url:?} is not a URL: it must begin with http://")]
    Scheme { url: String },
    #[error("{url:?} names no host")]
    NoHost { url: String },
}

/// How much of the body of an error is read, in bytes.
const ERROR_BODY_LIMIT: usize = 64 << 10;

impl Endpoint {
    /// The endpoint at a base URL such as `http://127.0.0.1:8080`. A trailing `/v1` is dropped, because the wire's path has it.
    ///
    /// # Errors
    /// It is not a URL of this form.
    pub(crate) fn new(base: &str, key: String) -> Result<Self, UrlError> {
        let url = || base.to_owned();
        let uri = base.parse::<Uri>().map_err(|error| UrlError::Syntax {
            url: url(),
            why: error.to_string(),
        })?;
        match uri.scheme_str() {
            Some("http") => {}
            Some("https") => return Err(UrlError::Tls { url: url() }),
            _ => return Err(UrlError::Scheme { url: url() }),
        }
        let host = uri.host().ok_or_else(|| UrlError::NoHost { url: url() })?;
        let path = uri.path().trim_end_matches('/');
        Ok(Endpoint {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(80),
            prefix: ["/v1", "/v1beta"]
                .iter()
                .find_map(|version| path.strip_suffix(version))
                .unwrap_or(path)
                .to_owned(),
            key,
        })
    }

    /// Sends a request and waits for the head of the response.
    pub(super) async fn send(&self, wire: Wire, body: Value) -> Result<HttpBody, ModelError> {
        let (host, port) = (self.host.as_str(), self.port);
        let unreachable = |error: &dyn std::fmt::Display| ModelError::Unreachable {
            host: host.to_owned(),
            port,
            why: error.to_string(),
        };
        let opened = TcpStream::connect((host, port)).await;
        let stream = opened.map_err(|error| unreachable(&error))?;
        let set = stream.set_nodelay(true);
        set.map_err(|error| unreachable(&error))?;
        let connected = handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = connected.map_err(|error| unreachable(&error))?;
        let mut connection = HttpConnection {
            connection: Box::pin(connection),
            closed: false,
        };
        let request = self
            .request(wire, &body)
            .map_err(|error| ModelError::Malformed(error.to_string()))?;
        let response = connection
            .drive(sender.send_request(request))
            .await
            .map_err(|_| ModelError::Unanswered)?;
        if !response.status().is_success() {
            return Err(http_error(response, connection).await);
        }
        let body = response.into_body();
        Ok(HttpBody { body, connection })
    }

    fn request(&self, wire: Wire, body: &Value) -> hyper::http::Result<Request<Full<Bytes>>> {
        let path = wire.stream_path(body["model"].as_str().unwrap_or_default());
        let mut body = body.clone();
        if let (Wire::Gemini, Some(members)) = (wire, body.as_object_mut()) {
            members.shift_remove("model");
        }
        let mut request = Request::post(format!("{}{path}", self.prefix))
            .header(header::HOST, format!("{}:{}", self.host, self.port))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream")
            .header(header::CONNECTION, "close");
        for (name, value) in wires::headers(wire, &self.key) {
            request = request.header(name, value);
        }
        request.body(Full::from(body.to_string()))
    }
}

/// A connection, which makes progress only while [`HttpConnection::drive`] polls it.
struct HttpConnection {
    connection: std::pin::Pin<Box<Connection<TokioIo<TcpStream>, Full<Bytes>>>>,
    closed: bool,
}

impl HttpConnection {
    /// Waits for a future while polling the connection.
    async fn drive<T>(&mut self, future: impl Future<Output = T>) -> T {
        tokio::pin!(future);
        loop {
            tokio::select! {
                biased;
                output = &mut future => return output,
                _ = &mut self.connection, if !self.closed => self.closed = true,
            }
        }
    }
}

/// The error in a response without success.
async fn http_error(response: Response<Incoming>, mut connection: HttpConnection) -> ModelError {
    let (head, mut incoming) = response.into_parts();
    let mut body = Vec::new();
    while let Some(Ok(frame)) = connection.drive(incoming.frame()).await {
        body.extend_from_slice(&frame.into_data().unwrap_or_default());
        if body.len() > ERROR_BODY_LIMIT {
            break;
        }
    }
    ModelError::of_response(head.status.as_u16(), &head.headers, &body)
}

/// The body of a reply over HTTP.
pub(super) struct HttpBody {
    body: Incoming,
    connection: HttpConnection,
}

impl HttpBody {
    /// Reads once; none at the end.
    ///
    /// # Errors
    /// The connection was closed.
    pub(super) async fn read(&mut self) -> Result<Option<Bytes>, ModelError> {
        match self.connection.drive(self.body.frame()).await {
            Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
            Some(Err(_)) => Err(ModelError::Disconnected),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_parsed() {
        for (base, shown) in [
            ("http://127.0.0.1:80/v1/", "http://127.0.0.1:80"),
            ("http://localhost/proxy", "http://localhost:80/proxy"),
        ] {
            let endpoint = Endpoint::new(base, String::new()).unwrap();
            assert_eq!(format!("{endpoint:?}"), shown);
        }
        for (base, why) in [("https://api.example.com", "no TLS"), ("nonsense", "URL")] {
            let refused = Endpoint::new(base, String::new()).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
