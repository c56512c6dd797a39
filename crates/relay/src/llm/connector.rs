//! Connections to the model: plain, over TLS, or over TLS through the proxy of a company.

use super::url::ModelUrl;
use hyper::Uri;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::crypto::ring;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// How long a connection may take, from the look-up of the name to the end of the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The time without any byte after which the system asks whether the model is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

type Opened = Result<MaybeHttpsStream<TokioIo<TcpStream>>, Box<dyn Error + Send + Sync>>;

/// Opens connections to a model.
#[derive(Clone)]
pub(super) enum Connector {
    Plain(HttpConnector),
    Tls(HttpsConnector<HttpConnector>),
    /// Over TLS, in a tunnel that a proxy opens.
    Tunnel(HttpsConnector<Tunnel<HttpConnector>>),
}

impl Connector {
    /// The connector for the URL of a model. The certificates of trusted authorities come from the system or from `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`, the proxy from `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    ///
    /// # Errors
    /// There are no such certificates, or the proxy cannot be used. One sentence says what to do.
    pub(super) fn new(model: &ModelUrl, proxies: &Matcher) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEPALIVE));
        if !model.is_secure() {
            return Ok(Connector::Plain(tcp));
        }
        let tls = HttpsConnectorBuilder::new()
            .with_tls_config(trusting_the_system()?)
            .https_only()
            .enable_http1();
        let proxy = model
            .of_request(&Uri::default())
            .and_then(|url| proxies.intercept(&url));
        let Some(proxy) = proxy else {
            return Ok(Connector::Tls(tls.wrap_connector(tcp)));
        };
        if proxy.uri().scheme_str() != Some("http") {
            let proxy = proxy.uri();
            return Err(format!(
                "the proxy {proxy} of HTTPS_PROXY or ALL_PROXY cannot be used: only http:// proxies can"
            ));
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        Ok(Connector::Tunnel(tls.wrap_connector(tunnel)))
    }
}

fn trusting_the_system() -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let roots = versions
        .map_err(|error| error.to_string())?
        .with_native_roots()
        .map_err(|error| {
            format!("{error}. Name a PEM file with the certificates to trust in SSL_CERT_FILE")
        })?;
    Ok(roots.with_no_client_auth())
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Opened> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match self {
            Connector::Plain(tcp) => tcp.poll_ready(context).map_err(Into::into),
            Connector::Tls(tls) => tls.poll_ready(context),
            Connector::Tunnel(tls) => tls.poll_ready(context),
        }
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        let opening: Self::Future = match self {
            Connector::Plain(tcp) => {
                let opening = tcp.call(url);
                Box::pin(async { Ok(MaybeHttpsStream::Http(opening.await?)) })
            }
            Connector::Tls(tls) => tls.call(url),
            Connector::Tunnel(tls) => tls.call(url),
        };
        Box::pin(async {
            let opened = tokio::time::timeout(CONNECT_TIMEOUT, opening).await;
            opened
                .unwrap_or_else(|_| Err(format!("no connection within {CONNECT_TIMEOUT:?}").into()))
        })
    }
}
