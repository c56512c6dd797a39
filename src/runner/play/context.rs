//! The suite context that all scenarios of a run share, and the reasons why a scenario stops early.

use crate::dialect::Dialect;
use crate::profile::Profile;
use crate::runner::agent::Agent;
use crate::runner::sandbox::SandboxRoot;
use std::sync::Arc;
use tokio::sync::watch;

/// What all scenarios of a run have in common.
#[derive(Debug)]
pub(crate) struct SuiteContext {
    pub(crate) agent: Agent,
    pub(crate) dialect: Arc<Dialect>,
    /// The wire of the recipe that the model is served over, where a scenario does not say.
    pub(crate) wire: Option<String>,
    pub(crate) profile: Profile,
    pub(crate) time_scale: f64,
    pub(crate) seed: u64,
    pub(crate) sandboxes: Arc<SandboxRoot>,
    /// Turns true when the run is to end at once.
    pub(crate) cancel: watch::Receiver<bool>,
}

/// Why a scenario ends before its last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EarlyStop {
    /// A step failed, and a finding says so. With a reason to kill the agent at once, if there is one.
    Failed(Option<&'static str>),
    /// The agent cannot do what the scenario needs.
    Skipped(String),
    /// The harness or the scenario is at fault.
    Broken(String),
    /// The agent cannot be started.
    NotStarted(String),
    /// The run is to end.
    Interrupted,
}
