//! The client of the model.

use super::connector::Connector;
use super::error::UpstreamError;
use super::failure::explain;
use super::url::ModelUrl;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::{Request, Response, Version};
use hyper_util::client::legacy::Client;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::time::Duration;

/// Hop-by-hop headers, which are not forwarded (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// How long an idle connection is kept. Servers keep theirs longer, so that a request seldom meets a connection that is being closed.
const KEPT: Duration = Duration::from_secs(4);

/// The HTTP client of a model, with a pool of connections.
pub struct Upstream {
    model: ModelUrl,
    client: Client<Connector, Full<Bytes>>,
}

impl Upstream {
    /// A client for a model. Nothing is sent yet.
    ///
    /// # Errors
    /// No certificates to trust are found, or the proxy of the environment cannot be used.
    pub fn new(model: ModelUrl) -> Result<Self, UpstreamError> {
        let connector = Connector::new(&model, &Matcher::from_env())?;
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(KEPT)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(Upstream { model, client })
    }

    /// Sends a request to the model and waits for the head of the answer. It asks for an uncompressed body, so that the recording is
    /// readable.
    ///
    /// # Errors
    /// There is no answer.
    pub(super) async fn forward(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, UpstreamError> {
        let url = self.model.of_request(request.uri());
        *request.uri_mut() = url.ok_or(UpstreamError::Path)?;
        *request.version_mut() = Version::HTTP_11;
        let headers = request.headers_mut();
        remove_hop_by_hop(headers);
        // The client names the host of the model.
        headers.remove(HOST);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let answered = self.client.request(request).await;
        let mut response = answered.map_err(|error| UpstreamError::NoAnswer {
            model: self.model.clone(),
            reason: explain(&error, &self.model),
        })?;
        remove_hop_by_hop(response.headers_mut());
        Ok(response)
    }
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_are_not_passed_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Trace"),
            ("x-trace", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("x-api-key", "k"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        remove_hop_by_hop(&mut headers);

        let left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["x-api-key"]);
    }
}
