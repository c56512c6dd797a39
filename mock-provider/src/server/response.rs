//! Builds HTTP responses: status, headers, and the body of plans and errors.

use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, Response};

use super::body::ResponseBody;
use super::exchange::Exchange;
use super::journal::ExchangeEnd;
use crate::answer::HttpError;
use crate::error_response::{ErrorResponse, error_response};
use crate::request::Wire;
use crate::response_plan::{ResponsePlan, ResponseStep};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream; charset=utf-8");

/// The response of a plan, after the steps before its head.
pub(super) fn planned(
    plan: ResponsePlan,
    wire: Wire,
    exchange: Exchange,
) -> Response<ResponseBody> {
    let request_id = wire.request_id(exchange.shared.options.seed, exchange.n);
    let mut headers = wire.headers(200, &request_id);
    if plan.is_json {
        headers.insert(CONTENT_TYPE, JSON);
    } else {
        headers.insert(CONTENT_TYPE, EVENTS);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    let body = ResponseBody::new(plan.body, plan.length, exchange);
    response(200, headers, body)
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
        mut body,
    } = error_response(wire, error, seed, exchange.n);
    if exchange.is_array && error.details.body.is_none() {
        body = format!("[{body}\n]\n");
    }
    exchange.set_status(status);
    let length = body.len();
    let steps = if exchange.bodiless || body.is_empty() {
        exchange.end(ExchangeEnd::Complete);
        Vec::new()
    } else {
        vec![ResponseStep::Write(body.into())]
    };
    let body = ResponseBody::new(steps, Some(length), exchange);
    response(status, headers, body)
}

/// A response without content.
pub(super) fn empty(headers: HeaderMap, mut exchange: Exchange) -> Response<ResponseBody> {
    exchange.set_status(204);
    exchange.end(ExchangeEnd::Complete);
    response(204, headers, ResponseBody::new(Vec::new(), None, exchange))
}

fn response(status: u16, headers: HeaderMap, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status.try_into().unwrap_or_default();
    *response.headers_mut() = headers;
    response
}
