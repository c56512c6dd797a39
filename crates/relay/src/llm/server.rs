//! The HTTP server that the agent uses as its model.

use super::answer::{RecordedBody, ReplyNote};
use super::upstream::Upstream;
use crate::recording::Recording;
use bytes::Bytes;
use conform_judge::frame::{Body, LlmRequest, ReplyEnd};
use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use mock_provider::ContentEncodings;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;

/// The largest accepted request body, in bytes.
const REQUEST_LIMIT: usize = 64 << 20;

/// The pause after a failed accept, such as when file descriptors run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The body of an answer.
type Answer = Response<BoxBody<Bytes, hyper::Error>>;

/// Called with the reason of each failed request that differs from the one before.
pub type FailureObserver = Box<dyn Fn(&str) + Send + Sync>;

struct State {
    upstream: Upstream,
    recording: Recording,
    requests: AtomicU64,
    on_failure: FailureObserver,
    last_failure: Mutex<String>,
}

/// Listens on a free port of the loopback interface, and relays until the process ends. Returns the address.
///
/// # Errors
/// Listening or starting the runtime failed.
pub fn relay_model(
    upstream: Upstream,
    recording: Recording,
    on_failure: FailureObserver,
) -> io::Result<SocketAddr> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
    let address = listener.local_addr()?;
    let state = Arc::new(State {
        upstream,
        recording,
        requests: AtomicU64::new(0),
        on_failure,
        last_failure: Mutex::default(),
    });
    std::thread::spawn(move || runtime.block_on(accept(listener, state)));
    Ok(address)
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection of the agent to its model was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
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
    let (head, body) = request.into_parts();
    let body = match Limited::new(body, REQUEST_LIMIT).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return failure(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    let value = json_matcher::read_json(&body)
        .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&body)));
    let mut note = ReplyNote::new(state.recording.clone(), n, head.uri.path());
    state.recording.add(Body::LlmRequest(LlmRequest {
        n,
        path: head.uri.path().to_owned(),
        body: value,
    }));
    let request = Request::from_parts(head, Full::new(body));
    match state.upstream.forward(request).await {
        Ok(response) => {
            note.status = response.status().as_u16();
            match ContentEncodings::of(response.headers()) {
                Ok(encodings) => note.encodings = encodings,
                Err(name) => state.report(&format!(
                    "the model encodes its answers as {name}, which the recording cannot read"
                )),
            }
            response.map(|body| RecordedBody::new(body, note).boxed())
        }
        Err(error) => {
            let reason = error.to_string();
            state.report(&reason);
            note.status = StatusCode::BAD_GATEWAY.as_u16();
            note.ended(ReplyEnd::Complete);
            failure(StatusCode::BAD_GATEWAY, &reason)
        }
    }
}

impl State {
    /// Reports a failure once, however often the agent tries again.
    fn report(&self, reason: &str) {
        let mut last = self
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *last != reason {
            (self.on_failure)(reason);
            reason.clone_into(&mut last);
        }
    }
}

fn failure(status: StatusCode, message: &str) -> Answer {
    let document = json!({ "error": { "type": "relay_error", "message": message } });
    let body = Full::new(Bytes::from(document.to_string()));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
