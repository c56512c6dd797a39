//! The request handler: reads an HTTP request, asks the model, and starts the response.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Request as HttpRequest, Response};
use serde_json::{Value, json};

use super::body::{ConnectionCut, ResponseBody, run_before_head};
use super::exchange::{Exchange, Socket};
use super::journal::{JournalEvent, ReceivedRequest};
use super::response;
use super::route::{ApiEndpoint, header_error, json_error};
use super::state::{NumberedModel, ServerState};
use crate::answer::{Answer, HttpError};
use crate::failure::ScriptFailure;
use crate::headers::hide_secrets;
use crate::model::{Model, ModelResponse};
use crate::request::{Request, Wire};
use crate::response_plan::{self, ResponsePlan, ResponseStep};
use crate::wire::WireContext;

/// Serves one request.
///
/// # Errors
/// The connection must be dropped: the script cuts it, or the client broke off its request.
pub(super) async fn handle(
    request: HttpRequest<Incoming>,
    shared: Arc<ServerState>,
    socket: Arc<Socket>,
) -> Result<Response<ResponseBody>, ConnectionCut> {
    let (head, body) = request.into_parts();
    let body = read_body(body, shared.options.max_body).await?;
    let mut headers = head.headers;
    hide_secrets(&mut headers);
    let path = head.uri.path();
    let arrived = ReceivedRequest {
        n: 0,
        method: head.method.to_string(),
        path: path.to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        endpoint: ApiEndpoint::from_path(path),
        headers: headers.into(),
        body: body.clone().unwrap_or_default(),
        is_side_request: false,
    };
    let wire = arrived.endpoint.wire(&arrived.headers);
    let bodiless = arrived.method == "HEAD";
    let (n, outcome, reply) = decide(arrived, body, &shared);
    let mut exchange = Exchange::new(shared, socket, n, reply);
    exchange.bodiless = bodiless;
    match outcome {
        Outcome::Document(document) => {
            let plan = ResponsePlan::document(document.to_string().into_bytes());
            Ok(response::planned(plan, wire, exchange))
        }
        Outcome::Error(error) => Ok(response::error(&error, wire, exchange)),
        Outcome::ModelResponse(request, served) => serve(&request, *served, exchange).await,
    }
}

/// How much of a body that is too large is read and discarded, as a multiple of the limit: a client that is still sending does not
/// read the response.
const MAX_DISCARDED: usize = 4;

/// The whole body; none if it is larger than the limit.
async fn read_body(mut body: Incoming, limit: usize) -> Result<Option<Bytes>, ConnectionCut> {
    let (mut parts, mut length) = (Vec::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ConnectionCut)?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length <= limit {
            parts.push(data);
        } else if length > limit.saturating_mul(MAX_DISCARDED) {
            break;
        } else {
            parts.clear();
        }
    }
    Ok((length <= limit).then(|| match &parts[..] {
        [whole] => whole.clone(),
        parts => parts.concat().into(),
    }))
}

/// The outcome of a request.
enum Outcome {
    Document(Value),
    Error(HttpError),
    ModelResponse(Request, Box<ModelResponse>),
}

/// Numbers the request, adds it to the journal and finds its outcome, all under one lock: requests are served in the order of their
/// numbers.
fn decide(
    mut arrived: ReceivedRequest,
    body: Option<Bytes>,
    shared: &ServerState,
) -> (u64, Outcome, Option<usize>) {
    let mut guard = shared.model();
    let NumberedModel { model, next_number } = &mut *guard;
    let n = *next_number;
    arrived.n = n;
    *next_number += 1;
    let at = Instant::now();
    let (outcome, failures) = match outcome(&arrived, body.as_ref(), shared, model) {
        Ok(Outcome::ModelResponse(request, mut served)) => {
            let failures = std::mem::take(&mut served.failures);
            (Outcome::ModelResponse(request, served), failures)
        }
        Ok(outcome) => (outcome, Vec::new()),
        Err(error) => {
            let failure = ScriptFailure::refused(n, &error);
            (Outcome::Error(error), vec![failure])
        }
    };
    arrived.is_side_request =
        matches!(&outcome, Outcome::ModelResponse(_, served) if served.is_side_request);
    shared.record_at(at, JournalEvent::Request(arrived));
    failures
        .into_iter()
        .for_each(|failure| shared.record(JournalEvent::Failure(failure)));
    let reply = match &outcome {
        Outcome::ModelResponse(_, served) => served.reply,
        _ => None,
    };
    (n, outcome, reply)
}

fn outcome(
    arrived: &ReceivedRequest,
    body: Option<&Bytes>,
    shared: &ServerState,
    model: &mut Model,
) -> Result<Outcome, HttpError> {
    let (endpoint, headers) = (&arrived.endpoint, &arrived.headers);
    let wire = endpoint.wire(headers);
    endpoint
        .route_error(wire, &arrived.method, &arrived.path)
        .or_else(|| header_error(wire, headers, shared.options.keyless))
        .map_or(Ok(()), Err)?;
    let body = body.ok_or_else(|| wire.usual_error(413))?;
    let request = |wire: Wire| -> Result<Request, HttpError> {
        Ok(Request {
            n: arrived.n,
            wire,
            headers: Arc::clone(headers),
            body: json_matcher::read_json(body).map_err(|error| json_error(wire, &error))?,
        })
    };
    Ok(match endpoint {
        ApiEndpoint::Models => Outcome::Document(wire.models().clone()),
        ApiEndpoint::Model(id) => Outcome::Document(wire.model(id)?.clone()),
        ApiEndpoint::CountTokens => {
            Outcome::Document(json!({ "input_tokens": model.count_tokens(&request(wire)?)? }))
        }
        ApiEndpoint::Message(wire) => {
            let request = request(*wire)?;
            let served = model.next(&request);
            Outcome::ModelResponse(request, Box::new(served))
        }
        ApiEndpoint::Unknown => Outcome::Error(wire.usual_error(404)),
    })
}

/// Responds with the answer of the model.
async fn serve(
    request: &Request,
    served: ModelResponse,
    mut exchange: Exchange,
) -> Result<Response<ResponseBody>, ConnectionCut> {
    let (wire, options) = (request.wire, &exchange.shared.options);
    let (seed, pace) = (options.seed, options.pace);
    let context = WireContext { request, seed };
    let gate = served.gate.map(ResponseStep::Gate).into_iter();
    let mut before: Vec<_> = gate.chain(served.delay.map(ResponseStep::Sleep)).collect();
    let planned = match served.answer {
        Answer::Cut(cut) => {
            before.push(ResponseStep::Cut(cut));
            run_before_head(before, &mut exchange).await?;
            return Err(ConnectionCut);
        }
        Answer::Error(error) => Err(error),
        Answer::Message(message) => {
            let planned = if request.is_streamed() {
                Ok(response_plan::stream(&context, &message, pace))
            } else {
                let (waits, planned) = response_plan::whole(&context, &message, pace);
                before.extend(waits);
                planned
            };
            exchange.message = Some(message);
            planned
        }
    };
    if let Err(error) = &planned {
        exchange.set_status(error.status);
    }
    run_before_head(before, &mut exchange).await?;
    Ok(match planned {
        Ok(plan) => response::planned(plan, wire, exchange),
        Err(error) => response::error(&error, wire, exchange),
    })
}
