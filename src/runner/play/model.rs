//! The scripted model of a scenario, and what it has to say of the agent's requests.

use super::charge::Charge;
use super::{Player, Stop};
use crate::finding::Level;
use crate::matcher::{Captures, Template};
use crate::runner::inbox::Inbox;
use crate::runner::rules;
use crate::scenario::Scenario;
use mock_provider::server::{Observer, Options, Server};
use mock_provider::{Failure, FailureKind, Script};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The script with its places filled.
pub(super) fn script(scenario: &Scenario, places: &Captures) -> Result<Script, Stop> {
    let broken = |why: String| Stop::Broken(format!("{}: {why}", scenario.path.display()));
    let filled = Template::new(scenario.model.clone())
        .render(places)
        .map_err(|unknown| broken(unknown.to_string()))?;
    Script::from_value(filled).map_err(|problem| broken(problem.to_string()))
}

/// Serves a script on loopback, everything that reaches it put into the inbox.
pub(in crate::runner) fn serve(
    script: Script,
    seed: u64,
    inbox: &Arc<Inbox>,
) -> Result<Server, Stop> {
    let inbox = Arc::clone(inbox);
    let options = Options {
        seed,
        keyless: true,
        ..Options::default()
    };
    Server::observed(
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        script,
        options,
        Observer::new(move |entry| inbox.model(entry)),
    )
    .map_err(|error| Stop::Broken(format!("cannot serve the scripted model: {error}")))
}

impl Player {
    /// Makes a finding of what the model found wrong.
    pub(super) fn model_failure(&mut self, failure: &Failure) {
        let own = self.scenario.level;
        let (rule, level) = match failure.kind {
            FailureKind::RanDry | FailureKind::Unmatched => {
                return self.requests.not_foreseen(failure);
            }
            FailureKind::Beside => return self.requests.beside(failure),
            FailureKind::Repeated if !self.requests.is_spontaneous(failure) => return,
            FailureKind::Repeated => (rules::SCRIPT, own),
            FailureKind::Expectation => (rules::REQUEST, own),
            FailureKind::Unused if self.demands(failure) => (rules::REQUEST, own),
            FailureKind::Unused => (rules::SCRIPT, own.min(Level::Should)),
            FailureKind::Refused => (rules::REFUSED, own.min(Level::Should)),
        };
        let mut message = failure.message.clone();
        if let Some(actual) = &failure.actual {
            message = format!("{message}: got {actual}");
        }
        let clauses = match rule {
            rules::REQUEST => self.scenario.clauses.clone(),
            _ => Vec::new(),
        };
        self.requests.accuse(failure, self.findings.len());
        self.charge(Charge {
            level: Some(level),
            clauses: Some(clauses),
            expected: failure.expected.iter().cloned().collect(),
            key: Some(format!("model{}", failure.pointer)),
            ..Charge::new(rule, message)
        });
    }

    /// Whether the reply that a failure is about demands something of its request.
    fn demands(&self, failure: &Failure) -> bool {
        let index = failure.pointer.split('/').nth(1);
        index
            .and_then(|index| self.script.replies.get(index.parse::<usize>().ok()?))
            .is_some_and(|reply| reply.expect_request.is_some())
    }
}
