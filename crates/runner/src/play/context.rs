//! The suite context that all scenarios of a run share, and the reasons why a scenario stops early.

use crate::agent::Agent;
use crate::explore::MoveTable;
use crate::launch::LaunchError;
use crate::process::spawn_error::SpawnError;
use crate::sandbox_root::SandboxRoot;
use crate::scenario::Scenario;
use crate::trials::{SuiteSettings, cores};
use conform_judge::dialect::Dialect;
use conform_report::reporter::text::count;
use std::fmt::Display;
use std::sync::{Arc, OnceLock};
use tokio::sync::{Semaphore, watch};

/// Data that all scenarios of a dialect share in a run.
#[derive(Debug)]
pub(crate) struct SuiteContext {
    pub(crate) agent: Agent,
    pub(crate) dialect: Arc<Dialect>,
    /// The wire that the model is served over unless a scenario names another; the recipe's first if `None`.
    pub(crate) wire: Option<String>,
    pub(crate) moments: Option<Arc<MoveTable>>,
    pub(crate) settings: Arc<SuiteSettings>,
    pub(crate) sandboxes: Arc<SandboxRoot>,
    /// How many more agents may start now, of all dialects.
    pub(crate) starting: Arc<Semaphore>,
    /// The load of the machine when it was first too busy for an agent.
    pub(crate) busy: Arc<OnceLock<String>>,
    /// Turns true when the run is cancelled.
    pub(crate) cancel: watch::Receiver<bool>,
}

impl SuiteContext {
    /// Why a scenario is inconclusive whose agent did not get the CPU. All of them have the same words.
    pub(crate) fn starved(&self) -> String {
        let load = self.busy.get_or_init(|| {
            let load = process_list::load().map(|load| format!("load {load:.0} on "));
            format!(
                "{}{}",
                load.unwrap_or_default(),
                count(cores().get() as u64, "core")
            )
        });
        format!("the machine was too busy ({load}): the agent was ready to run and got no CPU")
    }
}

/// Why a scenario ends before its last step.
#[derive(Debug)]
pub(crate) enum EarlyStop {
    /// A step failed and added its finding. With a reason if the agent is killed at once.
    Failed(Option<&'static str>),
    /// A step waited in vain where only rules judge.
    Missed,
    /// The agent lacks what the scenario needs; a sentence.
    Skipped(String),
    /// An internal error, or a mistake in the scenario; a sentence.
    Broken(String),
    /// The agent cannot be started.
    NotStarted(SpawnError),
    /// The run was cancelled.
    Interrupted,
    /// The machine was too busy: the agent was ready to run and did not get the CPU.
    Starved,
}

impl EarlyStop {
    /// A mistake in the file of a scenario.
    pub(crate) fn in_file(scenario: &Scenario, why: impl Display) -> Self {
        EarlyStop::Broken(format!("{}: {why}", scenario.path.display()))
    }
}

impl From<LaunchError> for EarlyStop {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Program(error) => EarlyStop::NotStarted(error),
            other => EarlyStop::Broken(other.to_string()),
        }
    }
}
