//! The response to a request that fails, as a server sends it.

use hyper::HeaderMap;
use hyper::header::{CONTENT_TYPE, HeaderValue};

use crate::answer::HttpError;
use crate::request::Wire;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A response without success.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorResponse {
    /// The HTTP status.
    pub status: u16,
    /// The usual headers of the API, with those of the script.
    pub headers: HeaderMap,
    /// The error document of the API, or the body that the script gives.
    pub body: String,
}

/// The response of a wire to request `n` with this error.
#[must_use]
pub fn error_response(wire: Wire, error: &HttpError, seed: u64, n: u64) -> ErrorResponse {
    let request_id = wire.request_id(seed, n);
    let mut headers = wire.headers(error.status, &request_id);
    let body = match &error.details.body {
        Some(raw) => raw.clone(),
        None => wire.error_body(error, &request_id).to_string(),
    };
    let is_html = body.trim_start().starts_with('<');
    headers.insert(CONTENT_TYPE, if is_html { HTML } else { JSON });
    for (name, value) in &error.details.headers {
        headers.insert(name, value.clone());
    }
    ErrorResponse {
        status: error.status,
        headers,
        body,
    }
}
