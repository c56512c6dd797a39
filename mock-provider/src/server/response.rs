//! Builds HTTP responses: status, headers, and the body of documents and errors.

use hyper::Response;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use super::body::ResponseBody;
use super::exchange::Exchange;
use super::journal::ExchangeEnd;
use crate::answer::HttpError;
use crate::error_response::{ErrorResponse, error_response};
use crate::headers::Headers;
use crate::request::Wire;
use crate::response_plan::{ResponsePlan, ResponseStep};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream; charset=utf-8";

/// The response of a plan, after the steps before its head.
pub(super) fn planned(
    plan: ResponsePlan,
    wire: Wire,
    mut exchange: Exchange,
) -> Response<ResponseBody> {
    let mut headers = head(&mut exchange, wire, 200);
    headers.set(
        "content-type",
        if plan.length.is_some() { JSON } else { EVENTS },
    );
    if plan.length.is_none() {
        headers.set("cache-control", "no-cache");
    }
    response(
        200,
        &headers,
        ResponseBody::new(plan.body, plan.length, exchange),
    )
}

/// A response with a JSON document.
pub(super) fn document(
    document: &Value,
    wire: Wire,
    mut exchange: Exchange,
) -> Response<ResponseBody> {
    let mut headers = head(&mut exchange, wire, 200);
    headers.set("content-type", JSON);
    plain(200, &headers, document.to_string(), exchange)
}

/// A response with an HTTP error.
pub(super) fn error(
    error: &HttpError,
    wire: Wire,
    mut exchange: Exchange,
) -> Response<ResponseBody> {
    let seed = exchange.shared.options.seed;
    let ErrorResponse {
        status,
        headers,
        body,
    } = error_response(wire, error, seed, exchange.n);
    exchange.set_status(status);
    plain(status, &headers, body, exchange)
}

fn head(exchange: &mut Exchange, wire: Wire, status: u16) -> Headers {
    exchange.set_status(status);
    wire.headers(
        status,
        &wire.request_id(exchange.shared.options.seed, exchange.n),
    )
}

fn plain(
    status: u16,
    headers: &Headers,
    body: String,
    mut exchange: Exchange,
) -> Response<ResponseBody> {
    let length = body.len();
    let steps = if exchange.is_bodiless() || body.is_empty() {
        exchange.end(ExchangeEnd::Complete);
        Vec::new()
    } else {
        vec![ResponseStep::Write(body.into_bytes())]
    };
    response(
        status,
        headers,
        ResponseBody::new(steps, Some(length), exchange),
    )
}

fn response(status: u16, headers: &Headers, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status.try_into().unwrap_or_default();
    for (name, value) in headers.iter() {
        // Headers of a script are checked when the script is loaded.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    debug_assert!(response.headers().contains_key(CONTENT_TYPE));
    response
}
