//! The relay between an agent and its model: a small HTTP server on loopback that passes requests on and answers back as they stream.

use super::recording::Recording;
use crate::frame::{Body as FrameBody, LlmReply, LlmRequest, ReplyEnd};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, UPGRADE};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream};

/// The longest body of a request, in bytes.
const REQUEST_LIMIT: usize = 64 << 20;

/// A proxy that passes requests on over TLS, with the `Host` header that the model expects.
const PROXY: &str = "caddy reverse-proxy --change-host-header --from http://127.0.0.1:8081 --to";

/// Headers that belong to one connection and are not passed on.
const HOP_BY_HOP: [HeaderName; 3] = [CONNECTION, TRANSFER_ENCODING, UPGRADE];

/// The body of an answer.
type Answer = Response<BoxBody<Bytes, hyper::Error>>;

/// Where the model is.
#[derive(Debug, Clone)]
pub struct ModelUrl {
    host: String,
    port: u16,
    /// The authority as written, for the `Host` header.
    authority: HeaderValue,
    /// The path before that of a request, without a slash at its end.
    prefix: String,
}

impl ModelUrl {
    /// Reads the base URL of a model.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn parse(url: &str) -> Result<Self, String> {
        let uri: Uri = url
            .parse()
            .map_err(|error| format!("{url:?} is not a URL: {error}"))?;
        if uri.scheme_str() == Some("https") {
            return Err(format!(
                "{url}: the recorder speaks http:// only. Let a local proxy speak TLS, such as `{PROXY} {url}`, and name --llm http://127.0.0.1:8081"
            ));
        }
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http"));
        let authority =
            authority.ok_or_else(|| format!("{url:?} is not a URL: expected http://HOST:PORT"))?;
        let header = HeaderValue::from_str(authority.as_str());
        Ok(ModelUrl {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(80),
            authority: header.map_err(|error| format!("{url:?} is not a URL: {error}"))?,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

struct State {
    model: ModelUrl,
    recording: Recording,
    requests: AtomicU64,
}

/// Listens on loopback, on a free port, and relays until the process ends. Returns the address.
///
/// # Errors
/// The port or the runtime cannot be had.
pub fn relay_model(model: ModelUrl, recording: Recording) -> io::Result<SocketAddr> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
    let address = listener.local_addr()?;
    let state = Arc::new(State {
        model,
        recording,
        requests: AtomicU64::new(0),
    });
    std::thread::spawn(move || runtime.block_on(accept(listener, state)));
    Ok(address)
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            // Each piece of a streamed answer goes out at once.
            let _ = stream.set_nodelay(true);
            let service = hyper::service::service_fn(|request| {
                let state = Arc::clone(&state);
                async move { Ok::<_, Infallible>(handle(request, &state).await) }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
            if let Err(error) = served {
                tracing::debug!(%error, "a connection of the agent to its model broke off");
            }
        });
    }
}

async fn handle(request: Request<Incoming>, state: &State) -> Answer {
    let n = state.requests.fetch_add(1, Ordering::Relaxed);
    let (mut head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let body = match Limited::new(body, REQUEST_LIMIT).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return failure(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let value = serde_json::from_slice(&body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&body)));
    state.recording.add(FrameBody::LlmRequest(LlmRequest {
        n,
        path,
        body: value,
    }));
    let note = ReplyNote {
        recording: state.recording.clone(),
        n,
        status: StatusCode::BAD_GATEWAY.as_u16(),
    };
    let query = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let target = format!("{}{query}", state.model.prefix).parse();
    let Ok(target) = target else {
        note.add(ReplyEnd::Complete);
        return failure(StatusCode::BAD_GATEWAY, "the path cannot be passed on");
    };
    head.uri = target;
    for name in HOP_BY_HOP {
        head.headers.remove(name);
    }
    head.headers.insert(HOST, state.model.authority.clone());
    match forward(Request::from_parts(head, Full::new(body)), &state.model).await {
        Ok(response) => relayed(response, note),
        Err(message) => {
            note.add(ReplyEnd::Complete);
            failure(StatusCode::BAD_GATEWAY, &message)
        }
    }
}

/// Sends a request to the model and waits for the head of the answer.
async fn forward(
    request: Request<Full<Bytes>>,
    model: &ModelUrl,
) -> Result<Response<Incoming>, String> {
    let (host, port) = (model.host.as_str(), model.port);
    let failed = |error: &dyn std::fmt::Display| format!("no answer from {host}:{port}: {error}");
    let stream = TcpStream::connect((host, port)).await;
    let stream = stream.map_err(|error| failed(&error))?;
    stream.set_nodelay(true).map_err(|error| failed(&error))?;
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| failed(&error))?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "the connection to the model broke off");
        }
    });
    let response = sender.send_request(request).await;
    response.map_err(|error| failed(&error))
}

/// The answer of the model, whose end is recorded.
fn relayed(response: Response<Incoming>, mut note: ReplyNote) -> Answer {
    let (mut head, body) = response.into_parts();
    note.status = head.status.as_u16();
    for name in HOP_BY_HOP {
        head.headers.remove(name);
    }
    let body = RecordedBody {
        inner: body,
        note: Some(note),
    };
    Response::from_parts(head, body.boxed())
}

fn failure(status: StatusCode, message: &str) -> Answer {
    let document = json!({ "error": { "type": "relay_error", "message": message } });
    let body = Full::new(Bytes::from(document.to_string()));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    response
}

/// The record of an answer, written when it ends.
struct ReplyNote {
    recording: Recording,
    n: u64,
    status: u16,
}

impl ReplyNote {
    fn add(self, end: ReplyEnd) {
        self.recording.add(FrameBody::LlmReply(LlmReply {
            n: self.n,
            status: self.status,
            end,
        }));
    }
}

/// A body that passes everything on and notes how it ends.
struct RecordedBody {
    inner: Incoming,
    note: Option<ReplyNote>,
}

impl RecordedBody {
    fn ended(&mut self, end: ReplyEnd) {
        if let Some(note) = self.note.take() {
            note.add(end);
        }
    }
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Ready(None) => self.ended(ReplyEnd::Complete),
            Poll::Ready(Some(Err(_))) => self.ended(ReplyEnd::Cut),
            Poll::Ready(Some(Ok(_))) if self.inner.is_end_stream() => {
                self.ended(ReplyEnd::Complete);
            }
            _ => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for RecordedBody {
    fn drop(&mut self) {
        let end = match self.inner.is_end_stream() {
            true => ReplyEnd::Complete,
            false => ReplyEnd::ClientClosed,
        };
        self.ended(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_model_is_read_or_refused_with_a_reason() {
        let url = ModelUrl::parse("http://localhost:8080/api/").unwrap();
        assert_eq!((url.host.as_str(), url.port), ("localhost", 8080));
        assert_eq!(url.prefix, "/api");
        for (url, why) in [
            ("https://api.example.com", "http:// only"),
            ("localhost:80", "not a URL"),
            ("", "not a URL"),
        ] {
            let message = ModelUrl::parse(url).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }
}
