//! The suites that faults are played in, and the agent of each: the reference agent plays its own faults, a filter process plays those of any
//! other.

use super::MutantsArgs;
use super::proof::Progress;
use crate::cli::baseline::BaselineArgs;
use crate::cli::command_error::CommandError;
use crate::cli::run::{LastFailures, run_plan};
use crate::cli::{inject, output};
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_report::ScenarioReport;
use conform_report::reporter::text::{count, verdict};
use conform_runner::agent::Agent;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::Scenario;
use conform_runner::trials::{
    DialectSuite, FaultsBy, GoodRun, TrialError, TrialSuite, turns_without_guards,
};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use tokio::sync::watch;

/// The suite of a dialect, played by the reference agent.
pub(in crate::cli) fn reference_suite(
    source: &DialectSource,
    dialect: &Arc<Dialect>,
    scenarios: Vec<Scenario>,
) -> Result<TrialSuite, CommandError> {
    let protocol = (mock_agent::PROTOCOL.into(), dialect.id().into());
    let folder = source.folder().into_iter();
    let folder = folder.map(|folder| (mock_agent::DIALECT_DIR.into(), folder.into()));
    let env = [protocol].into_iter().chain(folder).collect();
    Ok(TrialSuite::new(
        Agent::bundled(std::env::current_exe()?, env),
        FaultsBy::Agent("MOCK_AGENT_FAULT"),
        Arc::clone(dialect),
        scenarios,
        Arc::new(SandboxRoot::new()?),
    ))
}

/// The suites of the run plan with the agent of the command line, and where dialects come from.
///
/// # Errors
/// The agent could not be started, or there is no such dialect.
pub(super) async fn filtered_suites(
    args: &MutantsArgs,
) -> Result<(DialectSource, Vec<TrialSuite>), CommandError> {
    let request = args.run.request(&args.dialect, &args.agent);
    let sandboxes = Arc::new(SandboxRoot::new()?);
    let (_cancel, cancelled) = watch::channel(false);
    let before = LastFailures::read(&args.agent);
    let plan = run_plan(&request, &sandboxes, &cancelled, &before).await?;
    let source = DialectSource::new(plan.dialect_dir);
    let filtered = |suite: DialectSuite| {
        let filter = filter(&source, &suite.dialect)?;
        let sandboxes = Arc::clone(&sandboxes);
        Ok(TrialSuite {
            wire: suite.wire,
            ..TrialSuite::new(
                suite.agent,
                filter,
                suite.dialect,
                suite.scenarios,
                sandboxes,
            )
        })
    };
    let suites = plan.suites.into_iter().map(filtered);
    let suites = suites.collect::<Result<_, CommandError>>()?;
    Ok((source, suites))
}

/// The filter process that plays faults on the frames of any agent.
fn filter(source: &DialectSource, dialect: &Dialect) -> io::Result<FaultsBy> {
    let mut words: Vec<OsString> = vec![inject::SUBCOMMAND.into()];
    let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
    for turn in turns_without_guards(dialect) {
        option("--turn", turn.into());
    }
    for base in dialect.fault_sources() {
        option("--faults-of", base.into());
    }
    if let Some(folder) = source.folder() {
        option("--dialect-dir", folder.into());
    }
    Ok(FaultsBy::Filter(std::env::current_exe()?, words))
}

/// Plays a suite without a fault, and keeps the scenarios that pass in it.
///
/// # Errors
/// The agent has a finding that the baseline does not know, or no scenario passes.
pub(super) async fn good_run(
    args: &MutantsArgs,
    suite: &mut TrialSuite,
) -> Result<GoodRun, CommandError> {
    let mark = marks_known(args, suite)?;
    let good = GoodRun::play(suite, suite.scenarios.clone(), mark).await?;
    good.restrict(suite);
    note_left_out(&good);
    Ok(good)
}

/// Announces the run without a fault, marks the findings that the baseline knows in it, and shows each result as it comes.
pub(super) fn marks_known(
    args: &MutantsArgs,
    suite: &TrialSuite,
) -> Result<impl FnMut(&mut ScenarioReport) + use<>, CommandError> {
    let baseline = BaselineArgs::new(args.baseline.clone()).read()?;
    let scenarios = suite.scenarios.len();
    output::note("the agent must pass without a fault first");
    let mut progress = Progress::new(&suite.dialect.id(), scenarios, "scenario");
    Ok(move |report: &mut ScenarioReport| {
        baseline.mark(report, Blame::Agent);
        progress.show(verdict(report.verdict), &report.id, "");
    })
}

/// Prints how many scenarios do not pass.
pub(super) fn note_left_out(good: &GoodRun) {
    if good.left_out > 0 {
        output::note(format_args!(
            "{} left out: the agent has known findings there",
            count(good.left_out as u64, "scenario")
        ));
    }
}

impl From<TrialError> for CommandError {
    fn from(error: TrialError) -> Self {
        let message = error.to_string();
        match error {
            TrialError::Findings(_) => CommandError::violations(message),
            TrialError::NothingPasses => CommandError::incomplete(message),
            TrialError::NotStarted(_) => CommandError::usage(message),
            TrialError::Moves(errors) => errors.into(),
        }
    }
}
