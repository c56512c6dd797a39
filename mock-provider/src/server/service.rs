//! From an HTTP request to its response.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Request as HttpRequest, Response};
use serde_json::{Value, json};

use super::exchange::{Exchange, Socket};
use super::journal::{Arrived, Event};
use super::play::{CutOff, Player, play};
use super::route::{Endpoint, header_refusal, json_refusal};
use super::{Shared, reply};
use crate::answer::{Answer, HttpError};
use crate::failure::Failure;
use crate::headers::Headers;
use crate::model::{Model, Served};
use crate::plan::{self, Act};
use crate::request::{Request, Wire};
use crate::wire::{self, Context};

/// Serves one request.
///
/// # Errors
/// The connection is to be dropped: the script cuts it, or the client broke off in its request.
pub(super) async fn handle(
    request: HttpRequest<Incoming>,
    shared: Arc<Shared>,
    socket: Arc<Socket>,
) -> Result<Response<Player>, CutOff> {
    let (head, body) = request.into_parts();
    let body = collect(body, shared.options.max_body).await?;
    let headers = head
        .headers
        .iter()
        .map(|(name, value)| (name, String::from_utf8_lossy(value.as_bytes()).into_owned()));
    let headers = headers.collect::<Headers>();
    let path = head.uri.path();
    let mut arrived = Arrived {
        n: 0,
        method: head.method.to_string(),
        path: path.to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        endpoint: Endpoint::of(path),
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
        Outcome::Document(document) => Ok(reply::document(&document, wire, exchange)),
        Outcome::Error(error) => Ok(reply::error(&error, wire, exchange)),
        Outcome::Served(request, served) => serve(&request, *served, exchange).await,
    }
}

/// How much of a body beyond the limit is read and thrown away, in limits: a client that is still sending hears no answer.
const PATIENCE: usize = 4;

/// A whole body; none if it is larger than the limit.
async fn collect(mut body: Incoming, limit: usize) -> Result<Option<Bytes>, CutOff> {
    let (mut taken, mut length) = (BytesMut::new(), 0usize);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| CutOff)?.into_data() else {
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
    Served(Request, Box<Served>),
}

/// Numbers the request, journals it and decides, all under one lock: requests are served in the order of their numbers.
fn decide(arrived: &mut Arrived, body: Option<Bytes>, shared: &Shared) -> (Outcome, Option<usize>) {
    let mut guard = shared.model();
    let (model, next) = &mut *guard;
    arrived.n = *next;
    *next += 1;
    shared.note(Event::Request(arrived.clone()));
    let (outcome, failures) = match outcome(arrived, body.as_ref(), shared, model) {
        Ok(Outcome::Served(request, mut served)) => {
            let failures = std::mem::take(&mut served.failures);
            (Outcome::Served(request, served), failures)
        }
        Ok(outcome) => (outcome, Vec::new()),
        Err(error) => {
            let failure = Failure::refused(arrived.n, &error);
            (Outcome::Error(error), vec![failure])
        }
    };
    failures
        .into_iter()
        .for_each(|failure| shared.note(Event::Failure(failure)));
    let reply = if let Outcome::Served(_, served) = &outcome {
        served.reply
    } else {
        None
    };
    (outcome, reply)
}

fn outcome(
    arrived: &Arrived,
    body: Option<&Bytes>,
    shared: &Shared,
    model: &mut Model,
) -> Result<Outcome, HttpError> {
    let Arrived {
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
        Endpoint::Models => Outcome::Document(wire::models(wire)),
        Endpoint::Model(id) => Outcome::Document(wire::one_model(wire, id)?),
        Endpoint::CountTokens => {
            Outcome::Document(json!({ "input_tokens": model.count_tokens(&request(wire)?)? }))
        }
        Endpoint::Message(wire) => {
            let request = request(*wire)?;
            let served = model.next(&request);
            Outcome::Served(request, Box::new(served))
        }
        Endpoint::Unknown => Outcome::Error(wire.usual_error(404)),
    })
}

/// Gives the answer of the model.
async fn serve(
    request: &Request,
    served: Served,
    mut exchange: Exchange,
) -> Result<Response<Player>, CutOff> {
    let (wire, context) = (
        request.wire,
        Context {
            request,
            seed: exchange.shared.options.seed,
        },
    );
    let mut before = served
        .gate
        .map(Act::Gate)
        .into_iter()
        .chain(served.delay.map(Act::Sleep))
        .collect::<Vec<_>>();
    let planned = match served.answer {
        Answer::Cut(cut) => {
            before.push(Act::Cut(cut));
            play(before, &mut exchange).await?;
            return Err(CutOff);
        }
        Answer::Error(error) => Err((Vec::new(), error)),
        Answer::Message(message) if request.streamed() => Ok(plan::stream(&context, &message)),
        Answer::Message(message) => plan::whole(&context, &message),
    };
    if let Err((_, error)) = &planned {
        exchange.set_status(error.status);
    }
    play(before, &mut exchange).await?;
    match planned {
        Ok(mut plan) => {
            play(std::mem::take(&mut plan.before), &mut exchange).await?;
            Ok(reply::planned(plan, wire, exchange))
        }
        Err((waits, error)) => {
            play(waits, &mut exchange).await?;
            Ok(reply::error(&error, wire, exchange))
        }
    }
}
