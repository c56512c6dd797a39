//! The scripted model of a scenario: its script with the places filled, served over HTTP on loopback.

use super::event_queue::EventQueue;
use crate::matcher::{Captures, Template};
use crate::scenario::Scenario;
use mock_provider::Script;
use mock_provider::server::{Observer, Options, Server};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The script with its places filled.
pub(crate) fn script(scenario: &Scenario, places: &Captures) -> Result<Script, String> {
    let in_file = |why: String| format!("{}: {why}", scenario.path.display());
    let filled = Template::new(scenario.model.clone())
        .render(places)
        .map_err(|unknown| in_file(unknown.to_string()))?;
    Script::from_value(filled).map_err(|problem| in_file(problem.to_string()))
}

/// Serves a script on loopback, everything that reaches it put into the queue.
pub(crate) fn serve(script: Script, seed: u64, queue: &Arc<EventQueue>) -> Result<Server, String> {
    let queue = Arc::clone(queue);
    let options = Options {
        seed,
        keyless: true,
        ..Options::default()
    };
    Server::observed(
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        script,
        options,
        Observer::new(move |entry| queue.model(entry)),
    )
    .map_err(|error| format!("cannot serve the scripted model: {error}"))
}
