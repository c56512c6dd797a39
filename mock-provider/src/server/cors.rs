//! Cross-origin requests of web pages: <https://fetch.spec.whatwg.org/#http-cors-protocol>.

use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    HeaderName, HeaderValue, ORIGIN, VARY,
};

/// A preflight request for an address in a private network, such as this one: <https://wicg.github.io/private-network-access/>.
const REQUEST_PRIVATE: &str = "access-control-request-private-network";
const ALLOW_PRIVATE: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// The headers that answer a preflight request.
const PREFLIGHT: [(HeaderName, HeaderValue); 2] = [
    (
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, DELETE, OPTIONS"),
    ),
    (ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
];

/// Lets the page that sent a request read the response.
pub(super) fn allow(request: &HeaderMap, response: &mut HeaderMap) {
    let Some(origin) = request.get(ORIGIN) else {
        return;
    };
    response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    response.append(VARY, HeaderValue::from_static("origin"));
    response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
}

/// The headers by which a preflight request is allowed to be followed by any request.
pub(super) fn preflight(request: &HeaderMap) -> HeaderMap {
    let mut response: HeaderMap = PREFLIGHT.into_iter().collect();
    if let Some(headers) = request.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        response.insert(ACCESS_CONTROL_ALLOW_HEADERS, headers.clone());
    }
    if request.contains_key(REQUEST_PRIVATE) {
        response.insert(ALLOW_PRIVATE, HeaderValue::from_static("true"));
    }
    response
}
