//! The errors of the way to a model.

use super::url::ModelUrl;
use hyper::Uri;
use hyper::http::uri::InvalidUri;
use std::io;

/// Why a text is not the base URL of a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelUrlError {
    /// It is not a URL at all.
    #[error("{url:?} is not a URL: {source}")]
    Invalid {
        /// The text.
        url: String,
        /// What is wrong with it.
        source: InvalidUri,
    },
    /// It has no scheme or no host.
    #[error("{0:?} is not a URL: expected https://HOST or http://HOST:PORT")]
    Incomplete(String),
    /// It is for another protocol.
    #[error("{0:?} is not a URL: expected https:// or http://")]
    Scheme(String),
    /// It has credentials, which are not shown.
    #[error(
        "{scheme}://…@{host}: it has a user name or password; the agent sends its own credentials"
    )]
    Credentials {
        /// The scheme.
        scheme: String,
        /// The host.
        host: String,
    },
    /// It has a query.
    #[error("{0}: it has a query; name the base URL alone")]
    Query(String),
}

/// Why a model cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The system has no certificates to trust.
    #[error("{0}. Name a PEM file with the certificates to trust in SSL_CERT_FILE")]
    NoCertificates(#[source] io::Error),
    /// TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] rustls::Error),
    /// The proxy of the environment cannot be used.
    #[error("the proxy {0} of HTTPS_PROXY or ALL_PROXY cannot be used: only http:// proxies can")]
    Proxy(Uri),
    /// The base URL and the path of a request together are not a URL.
    #[error("the path cannot be passed on")]
    Path,
    /// The request failed.
    #[error("no answer from {model}: {reason}")]
    NoAnswer {
        /// The model.
        model: ModelUrl,
        /// The reason, and what to do.
        reason: String,
    },
}
