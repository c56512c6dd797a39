//! Connections to the model: plain, over TLS, or over TLS through a proxy.

use super::error::UpstreamError;
use super::url::ModelUrl;
use hyper::Uri;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tower_service::Service;

/// How long a connection may take, from the name lookup to the end of the TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// The idle time after which TCP keepalive probes are sent.
const KEEPALIVE: Duration = Duration::from_secs(30);

type Opened = Result<MaybeHttpsStream<TokioIo<TcpStream>>, Box<dyn Error + Send + Sync>>;

/// Opens connections to a model.
#[derive(Clone)]
pub(super) enum Connector {
    Direct(HttpsConnector<HttpConnector>),
    /// In a tunnel that a proxy opens.
    Tunnel(HttpsConnector<Tunnel<HttpConnector>>),
}

impl Connector {
    /// The connector for the URL of a model. The certificates of trusted authorities come from the system or from `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`, the proxy from `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. A model without TLS needs neither.
    ///
    /// # Errors
    /// There are no such certificates, or the proxy cannot be used.
    pub(super) fn new(model: &ModelUrl, proxies: &Matcher) -> Result<Self, UpstreamError> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEPALIVE));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls_config(model.is_secure())?)
            .https_or_http()
            .enable_http1();
        let proxy = model
            .of_request(&Uri::default())
            .filter(|_| model.is_secure())
            .and_then(|url| proxies.intercept(&url));
        let Some(proxy) = proxy else {
            return Ok(Connector::Direct(connector.wrap_connector(tcp)));
        };
        if proxy.uri().scheme_str() != Some("http") {
            return Err(UpstreamError::Proxy(proxy.uri().clone()));
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), tcp);
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        Ok(Connector::Tunnel(connector.wrap_connector(tunnel)))
    }
}

/// The settings of TLS. Certificates are read only if they are needed: a system may have none.
fn tls_config(is_secure: bool) -> Result<ClientConfig, UpstreamError> {
    let provider = Arc::new(ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let roots = if is_secure {
        versions
            .with_native_roots()
            .map_err(UpstreamError::NoCertificates)?
    } else {
        versions.with_root_certificates(RootCertStore::empty())
    };
    Ok(roots.with_no_client_auth())
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Opened> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match self {
            Connector::Direct(connector) => connector.poll_ready(context),
            Connector::Tunnel(connector) => connector.poll_ready(context),
        }
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        let opening = match self {
            Connector::Direct(connector) => connector.call(url),
            Connector::Tunnel(connector) => connector.call(url),
        };
        Box::pin(async {
            let opened = tokio::time::timeout(CONNECT_TIMEOUT, opening).await;
            opened
                .unwrap_or_else(|_| Err(format!("no connection within {CONNECT_TIMEOUT:?}").into()))
        })
    }
}
