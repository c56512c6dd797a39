//! The suite context that all scenarios of a run share, and the reasons why a scenario stops early.

use crate::agent::Agent;
use crate::sandbox_root::SandboxRoot;
use conform_judge::dialect::Dialect;
use conform_judge::profile::Profile;
use std::sync::Arc;
use tokio::sync::watch;

/// What all scenarios of a dialect share in a run.
#[derive(Debug)]
pub(crate) struct SuiteContext {
    pub(crate) agent: Agent,
    pub(crate) dialect: Arc<Dialect>,
    /// The wire that the model is served over unless a scenario names another; the recipe's first if `None`.
    pub(crate) wire: Option<String>,
    pub(crate) profile: Profile,
    pub(crate) time_scale: f64,
    /// Whether waits end early when nothing more can come.
    pub(crate) settle: bool,
    /// Whether the smoke scenario is played first, and the others only if it passes.
    pub(crate) smoke_first: bool,
    /// Whether the CPU time of agents is measured.
    pub(crate) timings: bool,
    pub(crate) seed: u64,
    pub(crate) sandboxes: Arc<SandboxRoot>,
    /// Turns true when the run is cancelled.
    pub(crate) cancel: watch::Receiver<bool>,
}

/// Why a scenario ends before its last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EarlyStop {
    /// A step failed and added its finding. With a reason if the agent is killed at once.
    Failed(Option<&'static str>),
    /// The agent lacks what the scenario needs; a sentence.
    Skipped(String),
    /// An internal error, or a mistake in the scenario; a sentence.
    Broken(String),
    /// The agent cannot be started; a sentence.
    NotStarted(String),
    /// The run was cancelled.
    Interrupted,
}
