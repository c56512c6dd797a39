//! The suites that faults are played in, and the agent of each: the reference agent plays its own faults, a filter process plays those of any
//! other.

use super::MutantsArgs;
use crate::cli::baseline::BaselineArgs;
use crate::cli::command_error::CommandError;
use crate::cli::run::{LastFailures, run_plan};
use crate::cli::{inject, output};
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_report::ScenarioReport;
use conform_report::reporter::text::count;
use conform_runner::agent::Agent;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::Scenario;
use conform_runner::scheduler::DialectSuite;
use conform_runner::trials::{GoodRun, GoodRunError, TestedAgent, TrialSuite};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// The suite of a dialect, played by the reference agent.
pub(in crate::cli) fn reference_suite(
    source: &DialectSource,
    dialect: &Arc<Dialect>,
    scenarios: Vec<Scenario>,
) -> Result<TrialSuite, CommandError> {
    let agent = ReferenceAgent {
        dialect_dir: source.folder(),
    };
    let sandboxes = Arc::new(SandboxRoot::new()?);
    let dialect = Arc::clone(dialect);
    Ok(TrialSuite::new(
        Box::new(agent),
        dialect,
        scenarios,
        sandboxes,
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
        let agent = FilteredAgent {
            agent: suite.agent,
            dialect_dir: source.folder(),
        };
        let sandboxes = Arc::clone(&sandboxes);
        TrialSuite {
            wire: suite.wire,
            ..TrialSuite::new(Box::new(agent), suite.dialect, suite.scenarios, sandboxes)
        }
    };
    let suites = plan.suites.into_iter().map(filtered).collect();
    Ok((source, suites))
}

/// The reference agent, which plays its faults itself.
struct ReferenceAgent {
    /// As `--dialect-dir`, as an absolute path.
    dialect_dir: Option<PathBuf>,
}

impl TestedAgent for ReferenceAgent {
    fn with_fault(&self, fault: Option<&str>, dialect: &Dialect) -> io::Result<Agent> {
        let fault = fault.map(|id| ("MOCK_AGENT_FAULT".into(), id.into()));
        let protocol = (mock_agent::PROTOCOL.into(), dialect.id().into());
        let folder = self.dialect_dir.iter();
        let folder = folder.map(|folder| (mock_agent::DIALECT_DIR.into(), folder.into()));
        let env = fault.into_iter().chain([protocol]).chain(folder);
        Ok(Agent::bundled(std::env::current_exe()?, env.collect()))
    }

    fn is_filtered(&self) -> bool {
        false
    }
}

/// Any agent. A filter process between it and the judge plays faults on its frames; of several, each has its own.
struct FilteredAgent {
    agent: Agent,
    /// As `--dialect-dir`, as an absolute path.
    dialect_dir: Option<PathBuf>,
}

impl TestedAgent for FilteredAgent {
    fn with_fault(&self, fault: Option<&str>, dialect: &Dialect) -> io::Result<Agent> {
        let mut faults = fault.into_iter().flat_map(|ids| ids.split(','));
        faults.try_fold(self.agent.clone(), |agent, fault| {
            self.filtered(agent, fault, dialect)
        })
    }

    fn is_filtered(&self) -> bool {
        true
    }
}

impl FilteredAgent {
    /// An agent behind a filter that plays a fault.
    fn filtered(&self, agent: Agent, fault: &str, dialect: &Dialect) -> io::Result<Agent> {
        let mut words: Vec<OsString> = vec![inject::SUBCOMMAND.into()];
        let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
        option("--fault", fault.into());
        option("--events", dialect.events.discriminator.clone().into());
        option("--commands", dialect.commands.discriminator.clone().into());
        for turn in turns(dialect) {
            option("--turn", turn.into());
        }
        for source in dialect.fault_sources() {
            option("--faults-of", source.into());
        }
        if let Some(folder) = &self.dialect_dir {
            option("--dialect-dir", folder.into());
        }
        words.extend(["--".into(), agent.program.into()]);
        words.extend(agent.prefix);
        Ok(Agent {
            program: std::env::current_exe()?,
            prefix: words,
            ..agent
        })
    }
}

/// The frames that begin a turn, without their guards.
fn turns(dialect: &Dialect) -> Vec<String> {
    let sources = dialect.session.turn.sources().into_iter();
    let names = sources.map(|source| {
        source
            .split('{')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
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

/// Announces the run without a fault, and marks the findings that the baseline knows in it.
pub(super) fn marks_known(
    args: &MutantsArgs,
    suite: &TrialSuite,
) -> Result<impl Fn(&mut ScenarioReport) + use<>, CommandError> {
    let baseline = BaselineArgs::new(args.baseline.clone()).read()?;
    output::note(format_args!(
        "{}: playing {} without a fault, which the agent must pass",
        suite.dialect.id(),
        count(suite.scenarios.len() as u64, "scenario")
    ));
    Ok(move |report: &mut ScenarioReport| baseline.mark(report, Blame::Agent))
}

/// Says how many scenarios do not pass.
pub(super) fn note_left_out(good: &GoodRun) {
    if good.left_out > 0 {
        output::note(format_args!(
            "{} left out: the agent has known findings there",
            count(good.left_out as u64, "scenario")
        ));
    }
}

impl From<GoodRunError> for CommandError {
    fn from(error: GoodRunError) -> Self {
        let message = error.to_string();
        match error {
            GoodRunError::Findings(_) => CommandError::violations(message),
            GoodRunError::NothingPasses => CommandError::incomplete(message),
            GoodRunError::NotStarted(_) => CommandError::usage(message),
        }
    }
}
