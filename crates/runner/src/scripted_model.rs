//! The scripted model of a scenario: its script with the placeholders filled, served over HTTP on loopback.

use super::event_queue::EventQueue;
use super::launch::LaunchError;
use super::play::context::EarlyStop;
use crate::scenario::Scenario;
use json_matcher::{Captures, Template};
use mock_provider::server::{Observer, Server, ServerOptions};
use mock_provider::{Lane, Script};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The model script of a scenario, with its placeholders filled.
///
/// # Errors
/// A placeholder without a value, or a mistake in the script, with the path of the scenario.
pub(crate) fn script(scenario: &Scenario, placeholders: &Captures) -> Result<Script, EarlyStop> {
    let filled = Template::new(scenario.model.clone()).render(placeholders);
    let filled = filled.map_err(|unknown| EarlyStop::in_file(scenario, unknown))?;
    Script::from_value(filled).map_err(|problem| EarlyStop::in_file(scenario, problem))
}

/// Serves a script on loopback; requests, replies and failures go into the event queue.
///
/// # Errors
/// The server cannot listen.
pub(crate) fn serve(
    script: Script,
    lanes: Vec<Lane>,
    seed: u64,
    queue: &Arc<EventQueue>,
) -> Result<Server, LaunchError> {
    let queue = Arc::clone(queue);
    let options = ServerOptions {
        seed,
        keyless: true,
        lanes,
        ..ServerOptions::default()
    };
    Server::observed(
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        script,
        options,
        Observer::new(move |entry| queue.add_model_event(entry)),
    )
    .map_err(LaunchError::Model)
}
