//! The surroundings in which a command starts agents: sandboxes that are cut off from the network, and a run that a signal cancels.

use super::command_error::CommandError;
use super::network::{NetworkArg, network_use, note_attempts};
use super::termination;
use conform_report::NetworkUse;
use conform_runner::adopt_orphans;
use conform_runner::network::isolation::{Isolation, NetworkWatch};
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::trials::{Engine, SuiteSettings};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long sandboxes may take to be removed, and pipes to be closed, at the end of a run.
pub(super) const CLEANUP_TIMEOUT: Duration = Duration::from_secs(10);

/// The surroundings of agents.
pub(super) struct AgentSurroundings {
    pub(super) sandboxes: Arc<SandboxRoot>,
    /// Becomes true when a signal cancels the run.
    pub(super) cancelled: watch::Receiver<bool>,
    isolation: Isolation,
    watch: NetworkWatch,
}

impl AgentSurroundings {
    /// The engine that plays in these surroundings.
    pub(super) fn engine(&self, settings: SuiteSettings) -> Engine {
        Engine {
            sandboxes: Arc::clone(&self.sandboxes),
            cancelled: self.cancelled.clone(),
            settings,
        }
    }

    /// How the agents are cut off, and what they have tried to reach so far.
    pub(super) fn network(&self) -> NetworkUse {
        network_use(self.isolation, &self.watch)
    }
}

/// Runs work that starts agents, and cleans up after them. Only for a process with one thread.
///
/// # Errors
/// There is no temporary folder or no port, or the work fails.
pub(super) fn with_agents<T>(
    network: NetworkArg,
    work: impl AsyncFnOnce(&AgentSurroundings) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    adopt_orphans();
    // The runtime has threads, and only a process without them can be isolated.
    let isolation = network.isolate();
    let runtime = tokio::runtime::Runtime::new()?;
    let watch = runtime.block_on(NetworkWatch::start(isolation))?;
    let sandboxes = SandboxRoot::new().map_err(|error| {
        CommandError::harness(format!("cannot make a folder for sandboxes: {error}"))
    })?;
    let (cancel, cancelled) = watch::channel(false);
    let surroundings = AgentSurroundings {
        sandboxes: Arc::new(sandboxes.with_variables(watch.variables())),
        cancelled,
        isolation,
        watch,
    };
    let result = runtime.block_on(async {
        termination::cancel_on_signal(cancel);
        work(&surroundings).await
    });
    note_attempts(isolation, &surroundings.watch);
    // Cleanup in the background may finish.
    runtime.shutdown_timeout(CLEANUP_TIMEOUT);
    drop(surroundings);
    termination::kill_strays();
    result
}
