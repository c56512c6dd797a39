//! A dialect that is explored: its moves, and the agent that plays them.

use crate::cli::agent_surroundings::AgentSurroundings;
use crate::cli::catalogue;
use crate::cli::command_error::CommandError;
use crate::cli::run::{AgentStart, RunPlan};
use crate::project_config::read_config;
use conform_judge::dialect::DialectSource;
use conform_runner::explore::{MoveTable, Session};
use conform_runner::scenario::Scenario;
use conform_runner::scheduler::{self, DialectSuite, RunEvent, SuiteEnd, SuiteSettings};
use std::sync::Arc;

/// A dialect with its moves.
pub(super) struct ExploredDialect {
    /// The agent and the dialect, without scenarios.
    pub(super) suite: DialectSuite,
    pub(super) table: MoveTable,
}

/// The dialects of a plan that have moves. Moves that need what the agent lacks are left out.
///
/// # Errors
/// The mistakes in their files, or none has moves.
pub(super) fn explored_dialects(
    plan: &mut RunPlan,
    start: &AgentStart,
) -> Result<Vec<ExploredDialect>, CommandError> {
    let config = read_config()?;
    let source = DialectSource::new(plan.dialect_dir.clone());
    let mut explored = Vec::new();
    let mut without = Vec::new();
    for suite in &mut plan.suites {
        suite.scenarios.clear();
        let names = catalogue::agent_names(&suite.dialect, &config.tools, start.wire.as_deref());
        let Some(mut table) = MoveTable::load(&source, &suite.dialect, names.as_ref())? else {
            without.push(suite.dialect.id());
            continue;
        };
        let missing = &suite.agent.missing_features;
        let is_missing = |name: &str| missing.iter().any(|feature| feature.name == name);
        table.retain(|needs, wire| {
            let is_served = wire.is_none_or(|wire| start.wire.is_none() && !is_missing(wire));
            is_served && !needs.iter().any(|name| is_missing(name))
        });
        explored.push(ExploredDialect {
            suite: suite.clone(),
            table,
        });
    }
    match explored.is_empty() {
        true => Err(CommandError::incomplete(format!(
            "nothing was explored: {} has no explore.yaml",
            without.join(", ")
        ))),
        false => Ok(explored),
    }
}

impl ExploredDialect {
    /// The scenarios of these sessions, with their ids.
    ///
    /// # Errors
    /// A session is not a good scenario, which is a mistake in the moves.
    pub(super) fn scenarios<'s>(
        &self,
        sessions: impl IntoIterator<Item = (String, &'s Session)>,
    ) -> Result<Vec<Scenario>, CommandError> {
        let mut scenarios = Vec::new();
        for (id, session) in sessions {
            scenarios.push(self.table.scenario(session, &id, &self.suite.dialect)?);
        }
        Ok(scenarios)
    }

    /// Plays scenarios.
    pub(super) async fn play(
        &self,
        scenarios: Vec<Scenario>,
        settings: &SuiteSettings,
        surroundings: &AgentSurroundings,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> SuiteEnd {
        let suite = DialectSuite {
            scenarios,
            ..self.suite.clone()
        };
        let sandboxes = Arc::clone(&surroundings.sandboxes);
        let cancelled = surroundings.cancelled.clone();
        scheduler::run(vec![suite], settings, sandboxes, cancelled, on_event).await
    }
}
