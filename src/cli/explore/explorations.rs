//! The explorations of a plan: for each dialect with moves, these, and the agent that plays them.

use crate::cli::catalogue;
use crate::cli::command_error::CommandError;
use crate::cli::run::{AgentStart, RunPlan};
use crate::project_config::read_config;
use conform_judge::dialect::DialectSource;
use conform_runner::explore::{MoveTable, SessionTables};
use conform_runner::scenario::ScenarioSource;
use conform_runner::trials::{Engine, Exploration};

/// The explorations of a plan. Moves that need a feature that the agent lacks are left out.
///
/// # Errors
/// The mistakes in the files of a dialect, or none has moves.
pub(super) fn explorations(
    plan: &mut RunPlan,
    start: &AgentStart,
    engine: &Engine,
) -> Result<Vec<Exploration>, CommandError> {
    let config = read_config()?;
    let source = DialectSource::new(plan.dialect_dir.clone());
    let mut explorations = Vec::new();
    let mut without = Vec::new();
    for suite in &mut plan.suites {
        suite.scenarios.clear();
        let names =
            catalogue::agent_names(&suite.dialect, Some(&config.tools), start.wire.as_deref());
        let Some(mut table) = MoveTable::load(&source, &suite.dialect, names.as_ref())? else {
            without.push(suite.dialect.id());
            continue;
        };
        let dialect = &suite.dialect;
        let mut files = ScenarioSource::find(&dialect.name, &dialect.version, &dialect.bases)?;
        if let Some(names) = &names {
            files = files.inherited(names)?;
        }
        let mut spliced = table.spliced(&files, dialect)?;
        let missing = &suite.agent.missing_features;
        let is_missing = |name: &str| missing.iter().any(|feature| feature.name == name);
        for table in spliced.iter_mut().chain([&mut table]) {
            table.retain(|needs, wire| {
                let is_served = wire.is_none_or(|wire| start.wire.is_none() && !is_missing(wire));
                is_served && !needs.iter().any(|name| is_missing(name))
            });
        }
        explorations.push(Exploration {
            suite: suite.clone(),
            tables: SessionTables {
                walked: table,
                spliced,
            },
            engine: engine.clone(),
        });
    }
    if explorations.is_empty() {
        return Err(CommandError::incomplete(format!(
            "nothing was explored: {} has no explore.yaml",
            without.join(", ")
        )));
    }
    Ok(explorations)
}
