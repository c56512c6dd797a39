//! From an HTTP request to its response.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Request as HttpRequest, Response};
use serde_json::{Value, json};

use super::body::{ConnectionCut, ResponseBody, play};
use super::exchange::{Exchange, Socket};
use super::journal::{JournalEvent, ReceivedRequest};
use super::response;
use super::route::{ApiEndpoint, header_refusal, json_refusal};
use super::state::{NumberedModel, ServerState};
use crate::answer::{Answer, HttpError};
use crate::failure::ScriptFailure;
use crate::headers::Headers;
use crate::model::{Model, ModelResponse};
use crate::request::{Request, Wire};
use crate::response_plan::{self, WireAction};
use crate::wire::{self, WireContext};

/// Serves one request.
///
/// # Errors
/// The connection is to be dropped: the script cuts it, or the client broke off in its request.
pub(super) async fn handle(
    request: HttpRequest<Incoming>,
    shared: Arc<ServerState>,
    socket: Arc<Socket>,
) -> Result<Response<ResponseBody>, ConnectionCut> {
    let (head, body) = request.into_parts();
    let body = collect(body, shared.options.max_body).await?;
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name, String::from_utf8_lossy(value.as_bytes()).into_owned()));
    let headers = headers.collect::<Headers>();
    let path = head.uri.path();
    let mut arrived = ReceivedRequest {
        n: 0,
        method: head.method.to_string(),
        path: path.to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        endpoint: ApiEndpoint::of(path),
        headers,
        body: body.clone().unwrap_or_default(),
    };
    let (outcome, reply) = decide(&mut arrived, body, &shared);
    let wire = arrived.endpoint.wire(&arrived.headers);
    let mut exchange = Exchange::new(shared, socket, arrived.n, reply);
    if arrived.method == "HEAD" {
        exchange.set_bodiless();
    }
    match outcome {
        Outcome::Document(document) => Ok(response::document(&document, wire, exchange)),
        Outcome::Error(error) => Ok(response::error(&error, wire, exchange)),
        Outcome::ModelResponse(request, served) => serve(&request, *served, exchange).await,
    }
}

/// How much of a body beyond the limit is read and thrown away, in limits: a client that is still sending hears no answer.
const PATIENCE: usize = 4;

/// A whole body; none if it is larger than the limit.
async fn collect(mut body: Incoming, limit: usize) -> Result<Option<Bytes>, ConnectionCut> {
    let (mut taken, mut length) = (BytesMut::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| ConnectionCut)?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length <= limit {
            taken.extend_from_slice(&data);
        } else if length > limit.saturating_mul(PATIENCE) {
            break;
        } else {
            taken = BytesMut::new();
        }
    }
    Ok((length <= limit).then(|| taken.freeze()))
}

/// What a request comes to.
enum Outcome {
    Document(Value),
    Error(HttpError),
    ModelResponse(Request, Box<ModelResponse>),
}

/// Numbers the request, journals it and decides, all under one lock: requests are served in the order of their numbers.
fn decide(
    arrived: &mut ReceivedRequest,
    body: Option<Bytes>,
    shared: &ServerState,
) -> (Outcome, Option<usize>) {
    let mut guard = shared.model();
    let NumberedModel { model, next_number } = &mut *guard;
    arrived.n = *next_number;
    *next_number += 1;
    shared.record(JournalEvent::Request(arrived.clone()));
    let (outcome, failures) = match outcome(arrived, body.as_ref(), shared, model) {
        Ok(Outcome::ModelResponse(request, mut served)) => {
            let failures = std::mem::take(&mut served.failures);
            (Outcome::ModelResponse(request, served), failures)
        }
        Ok(outcome) => (outcome, Vec::new()),
        Err(error) => {
            let failure = ScriptFailure::refused(arrived.n, &error);
            (Outcome::Error(error), vec![failure])
        }
    };
    failures
        .into_iter()
        .for_each(|failure| shared.record(JournalEvent::Failure(failure)));
    let reply = if let Outcome::ModelResponse(_, served) = &outcome {
        served.reply
    } else {
        None
    };
    (outcome, reply)
}

fn outcome(
    arrived: &ReceivedRequest,
    body: Option<&Bytes>,
    shared: &ServerState,
    model: &mut Model,
) -> Result<Outcome, HttpError> {
    let ReceivedRequest {
        n,
        method,
        path,
        endpoint,
        headers,
        ..
    } = arrived;
    let wire = endpoint.wire(headers);
    let refusal = endpoint
        .refusal(wire, method, path)
        .or_else(|| header_refusal(wire, headers, shared.options.keyless));
    refusal.map_or(Ok(()), Err)?;
    let body = body.ok_or_else(|| wire.usual_error(413))?;
    let request = |wire: Wire| -> Result<Request, HttpError> {
        let body = serde_json::from_slice(body).map_err(|error| json_refusal(wire, &error))?;
        Ok(Request {
            n: *n,
            wire,
            headers: headers.clone(),
            body,
        })
    };
    Ok(match endpoint {
        ApiEndpoint::Models => Outcome::Document(wire::models(wire)),
        ApiEndpoint::Model(id) => Outcome::Document(wire::one_model(wire, id)?),
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

/// Gives the answer of the model.
async fn serve(
    request: &Request,
    served: ModelResponse,
    mut exchange: Exchange,
) -> Result<Response<ResponseBody>, ConnectionCut> {
    let (wire, context) = (
        request.wire,
        WireContext {
            request,
            seed: exchange.shared.options.seed,
        },
    );
    let mut before = served
        .gate
        .map(WireAction::Gate)
        .into_iter()
        .chain(served.delay.map(WireAction::Sleep))
        .collect::<Vec<_>>();
    let planned = match served.answer {
        Answer::Cut(cut) => {
            before.push(WireAction::Cut(cut));
            play(before, &mut exchange).await?;
            return Err(ConnectionCut);
        }
        Answer::Error(error) => Err((Vec::new(), error)),
        Answer::Message(message) if request.streamed() => {
            Ok(response_plan::stream(&context, &message))
        }
        Answer::Message(message) => response_plan::whole(&context, &message),
    };
    if let Err((_, error)) = &planned {
        exchange.set_status(error.status);
    }
    play(before, &mut exchange).await?;
    match planned {
        Ok(mut plan) => {
            play(std::mem::take(&mut plan.before), &mut exchange).await?;
            Ok(response::planned(plan, wire, exchange))
        }
        Err((waits, error)) => {
            play(waits, &mut exchange).await?;
            Ok(response::error(&error, wire, exchange))
        }
    }
}
