//! The request handler: reads an HTTP request, asks the model, and starts the response.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ACCEPT_ENCODING, HeaderValue};
use hyper::{HeaderMap, Request as HttpRequest, Response};
use serde_json::{Value, json};

use super::body::{ConnectionCut, ResponseBody, run_before_head};
use super::cors;
use super::exchange::{Exchange, Socket};
use super::journal::{JournalEvent, ReceivedRequest};
use super::response;
use super::route::{
    ApiEndpoint, GeminiEndpoint, deployment, header_error, json_error, without_key,
};
use super::state::{NumberedModel, ServerState};
use crate::answer::{Answer, HttpError};
use crate::content_encoding::{ContentEncodings, DecodedBody};
use crate::conversations::ConversationCall;
use crate::embeddings;
use crate::failure::Rejection;
use crate::headers::hide_secrets;
use crate::input_items::page;
use crate::model::{Model, ModelResponse};
use crate::request::{AnswerForm, Request, Wire};
use crate::response_plan::{self, ResponsePlan, ResponseStep};
use crate::wire::{self, GeminiPath, WireContext, parameter};

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
    let limit = shared.options.max_body;
    let body = read_body(body, limit).await?;
    let mut headers = head.headers;
    hide_secrets(&mut headers);
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
    let endpoint = ApiEndpoint::of_request(head.method.as_str(), path, query, &headers);
    let wire = endpoint.wire(&headers);
    let body = match body {
        Some(body) => decoded(body, &headers, wire, limit),
        None => Err(wire.usual_error(413).into()),
    };
    let headers = Arc::new(headers);
    let arrived = ReceivedRequest {
        n: 0,
        method: head.method.to_string(),
        path: path.to_owned(),
        query: without_key(query),
        endpoint,
        headers: Arc::clone(&headers),
        body: body.as_ref().cloned().unwrap_or_default(),
        is_side_request: false,
        lane: None,
    };
    let bodiless = arrived.method == "HEAD";
    let is_array = wire == Wire::Gemini
        && GeminiPath::parse(path).map(|path| path.answer_form(query)) == Some(AnswerForm::Array);
    let (n, outcome, reply) = decide(arrived, body, &shared);
    let mut exchange = Exchange::new(shared, socket, n, reply);
    exchange.bodiless = bodiless;
    exchange.is_array = is_array;
    let mut response = match outcome {
        Outcome::Document(document) => {
            let plan = ResponsePlan::document(document.to_string().into_bytes());
            response::planned(plan, wire, exchange)
        }
        Outcome::Preflight => response::empty(cors::preflight(&headers), exchange),
        Outcome::Error(error) => response::error(&error, wire, exchange),
        Outcome::ModelResponse(request, served) => serve(&request, *served, exchange).await?,
    };
    cors::allow(&headers, response.headers_mut());
    Ok(response)
}

/// How much of a body that is too large is read and discarded, as a multiple of the limit: a client that is still sending does not
/// read the response.
const MAX_DISCARDED: usize = 4;

/// The encodings of bodies that are served, as a header.
const ACCEPTED_ENCODINGS: HeaderValue = HeaderValue::from_static("gzip, deflate, br, zstd");

/// A body without its encodings, if it is not larger than `limit` bytes.
fn decoded(body: Bytes, headers: &HeaderMap, wire: Wire, limit: usize) -> Result<Bytes, Rejection> {
    let encodings = ContentEncodings::of(headers).map_err(|name| {
        let mut error = wire.usual_error(415);
        error.message = format!("Unsupported content-encoding: {name}");
        let accepted = &mut error.details.headers;
        accepted.insert(ACCEPT_ENCODING, ACCEPTED_ENCODINGS);
        Rejection::NotServed(error, format!("bodies with the content-encoding `{name}`"))
    })?;
    match encodings.decode(body, limit) {
        DecodedBody {
            broken: Some((name, error)),
            ..
        } => {
            let message = format!("The request body is not valid {name} data: {error}");
            Err(HttpError::invalid(message).into())
        }
        DecodedBody { bytes, .. } if bytes.len() > limit => Err(wire.usual_error(413).into()),
        DecodedBody { bytes, .. } => Ok(bytes),
    }
}

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
    /// A page may send the request that it asked for.
    Preflight,
    Error(HttpError),
    ModelResponse(Request, Box<ModelResponse>),
}

/// Numbers the request, adds it to the journal and finds its outcome, all under one lock: requests are served in the order of their
/// numbers.
fn decide(
    mut arrived: ReceivedRequest,
    body: Result<Bytes, Rejection>,
    shared: &ServerState,
) -> (u64, Outcome, Option<usize>) {
    let mut guard = shared.model();
    let NumberedModel { model, next_number } = &mut *guard;
    let n = *next_number;
    arrived.n = n;
    *next_number += 1;
    let at = Instant::now();
    let (outcome, failures) = match outcome(&arrived, body, shared, model) {
        Ok(Outcome::ModelResponse(request, mut served)) => {
            let failures = std::mem::take(&mut served.failures);
            (Outcome::ModelResponse(request, served), failures)
        }
        Ok(outcome) => (outcome, Vec::new()),
        Err(rejection) => {
            let (error, failure) = rejection.of_request(n);
            (Outcome::Error(error), vec![failure])
        }
    };
    if let Outcome::ModelResponse(_, served) = &outcome {
        arrived.is_side_request = served.is_side_request;
        arrived.lane.clone_from(&served.lane);
    }
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
    body: Result<Bytes, Rejection>,
    shared: &ServerState,
    model: &mut Model,
) -> Result<Outcome, Rejection> {
    let (endpoint, headers) = (&arrived.endpoint, &arrived.headers);
    let (wire, method, path) = (endpoint.wire(headers), &arrived.method, &arrived.path);
    if method == "OPTIONS" {
        return Ok(Outcome::Preflight);
    }
    if let Some(rejection) = endpoint.route_error(wire, method, path, headers) {
        return Err(rejection);
    }
    let keyless = shared.options.keyless;
    header_error(wire, headers, &arrived.query, keyless).map_or(Ok(()), Err)?;
    let body = body?;
    let request = || -> Result<Request, HttpError> {
        let mut body = json_matcher::read_json(&body).map_err(|error| json_error(wire, &error))?;
        if let (Some(deployment), Value::Object(members)) = (deployment(path), &mut body) {
            members.entry("model").or_insert(deployment.into());
        }
        Ok(Request {
            headers: Arc::clone(headers),
            ..Request::to_path(arrived.n, wire, path, &arrived.query, body)
        })
    };
    let missing = |id: &str| {
        let message = format!("Response with id '{id}' not found.");
        let error = HttpError::new(404, "invalid_request_error", message);
        Rejection::NotServed(error, format!("the response {id}, which it does not hold"))
    };
    Ok(match endpoint {
        ApiEndpoint::Models => Outcome::Document(wire.models().clone()),
        ApiEndpoint::Model(id) => Outcome::Document(wire.model(id)),
        ApiEndpoint::CountTokens => {
            Outcome::Document(json!({ "input_tokens": model.count_tokens(&request()?)? }))
        }
        ApiEndpoint::InputTokens => {
            let count = wire::count_tokens(&request()?.body);
            Outcome::Document(json!({ "object": "response.input_tokens", "input_tokens": count }))
        }
        ApiEndpoint::Gemini(endpoint) => {
            let document = match endpoint {
                GeminiEndpoint::Models => wire.models().clone(),
                GeminiEndpoint::Model(id) => wire.model(id),
                GeminiEndpoint::CountTokens => {
                    let count = wire::count_tokens(&request()?.body);
                    json!({ "totalTokens": count, "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": count }] })
                }
                GeminiEndpoint::Embedding | GeminiEndpoint::Embeddings => {
                    let is_batch = *endpoint == GeminiEndpoint::Embeddings;
                    wire::gemini_embeddings(&request()?.body, is_batch)?
                }
                GeminiEndpoint::Unknown => return Err(wire.usual_error(404).into()),
            };
            Outcome::Document(document)
        }
        ApiEndpoint::Embeddings => Outcome::Document(embeddings::embeddings(&request()?.body)?),
        ApiEndpoint::Compact => Outcome::Document(model.compact(&request()?)?),
        ApiEndpoint::Response(id) if method == "DELETE" => {
            model.held.delete_response(id).ok_or_else(|| missing(id))?;
            Outcome::Document(json!({ "id": id, "object": "response", "deleted": true }))
        }
        ApiEndpoint::Response(id) if parameter(&arrived.query, "stream") == Some("true") => {
            let last = parameter(&arrived.query, "starting_after");
            let last = last.and_then(|last| last.parse().ok());
            let (request, served) = model.resume(id, last).ok_or_else(|| missing(id))?;
            Outcome::ModelResponse(request, Box::new(served))
        }
        ApiEndpoint::Response(id) | ApiEndpoint::CancelResponse(id) => {
            if matches!(endpoint, ApiEndpoint::CancelResponse(_)) {
                model.held.cancel_response(id)?;
            }
            let document = model.held.response(id, |gate| shared.gates.is_open(gate));
            Outcome::Document(document.ok_or_else(|| missing(id))?)
        }
        ApiEndpoint::ResponseInput(id) => {
            let items = model.held.input_items(id).ok_or_else(|| missing(id))?;
            Outcome::Document(page(items, &arrived.query))
        }
        ApiEndpoint::Conversation(path) => {
            let body = match method.as_str() {
                "POST" if !body.is_empty() => request()?.body,
                _ => Value::Null,
            };
            let call = ConversationCall {
                n: arrived.n,
                method,
                query: &arrived.query,
                body: &body,
            };
            Outcome::Document(model.answer_conversation(path, &call)?)
        }
        ApiEndpoint::Message(_) => {
            let request = request()?;
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
    if let Answer::Message(message) = &served.answer
        && let Some(queued) = wire::queued(&context, message)
    {
        let plan = ResponsePlan::document(queued.to_string().into_bytes());
        return Ok(response::planned(plan, wire, exchange));
    }
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
