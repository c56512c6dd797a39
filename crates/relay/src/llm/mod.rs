//! The relay between an agent and its model: a small HTTP server on loopback that passes requests on, over TLS if the model is behind
//! it, and answers back as they stream.

mod answer;
mod connector;
mod failure;
mod server;
mod upstream;
mod url;

pub use server::{FailureObserver, relay_model};
pub use upstream::Upstream;
pub use url::ModelUrl;
