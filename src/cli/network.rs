//! `--network`: cuts the agents of a command off from addresses outside of this machine.

use super::exit::ExitStatus;
use super::output;
use clap::ValueEnum;
use conform_report::NetworkUse;
use conform_runner::network::isolation::{self, Isolation, NetworkWatch};
use std::process::{Command, Stdio};

/// What agents may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum NetworkArg {
    /// Addresses outside of this machine too
    Allow,
    /// Only the scripted model
    #[default]
    Deny,
    /// Only the scripted model, as far as the agent respects proxy variables: for agents that cannot run in a network namespace
    Proxy,
}

/// The hidden command that finds out whether this system allows a network namespace.
pub(super) const CHECK: &str = "check-isolation";

impl NetworkArg {
    /// Isolates this process and the agents that it will start. Only for a process with one thread.
    pub(super) fn isolate(self) -> Isolation {
        match self {
            NetworkArg::Allow => Isolation::None,
            NetworkArg::Deny => Isolation::enter(is_allowed),
            NetworkArg::Proxy => Isolation::Proxy,
        }
    }
}

/// Whether a child process can isolate itself.
fn is_allowed() -> bool {
    let check = |program| {
        Command::new(program)
            .arg(CHECK)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    let status = std::env::current_exe().and_then(check);
    status.is_ok_and(|status| status.success())
}

/// `conform check-isolation`.
pub(super) fn check() -> ExitStatus {
    if isolation::can_isolate() {
        ExitStatus::Conformant
    } else {
        ExitStatus::Incomplete
    }
}

/// The network in a report.
pub(super) fn network_use(isolation: Isolation, watch: &NetworkWatch) -> NetworkUse {
    NetworkUse {
        isolation: isolation.name().to_owned(),
        attempts: watch.attempts(),
    }
}

/// Prints the hosts that agents tried to reach.
pub(super) fn note_attempts(isolation: Isolation, watch: &NetworkWatch) {
    let hosts = watch.attempts();
    if !hosts.is_empty() {
        output::note(format_args!(
            "the agent tried to reach {}, but runs without a network (isolation: {}); its model is at {{llm_url}}, which you can use in its \
             arguments and in --env; --network allow lets it out",
            hosts.join(", "),
            isolation.name()
        ));
    }
}
