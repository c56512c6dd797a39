//! The relay between an agent and its model: a small HTTP server on loopback that forwards requests, over TLS if the model needs it,
//! and streams the answers back.

mod answer;
mod connector;
mod error;
mod failure;
mod server;
mod upstream;
mod url;

pub use error::{ModelUrlError, UpstreamError};
pub use server::{FailureObserver, relay_model};
pub use upstream::Upstream;
pub use url::ModelUrl;
