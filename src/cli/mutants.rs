//! `conform mutants`: mutation testing of the suite. Plays faults of the reference agent, or of any agent, and prints the kill matrix.

mod accepted;
mod any_agent;
mod generic_run;
mod mutation_run;
mod published;
mod run_options;
mod suite_player;
mod tested_agent;

use super::args::{DialectArgs, SideArg, at_least_one};
use super::baseline::BaselineArgs;
use super::catalogue;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::run::{LastFailures, RunPlan, run_plan};
use super::{output, table, termination};
use accepted::Accepted;
use any_agent::AgentOutcome;
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Blame;
use conform_report::reporter::text::count;
use conform_runner::mutation::matrix::{Fate, Matrix, Row};
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scheduler::DialectSuite;
use conform_runner::selection::Shard;
use mutation_run::MutationRun;
use run_options::RunOptions;
use spanned_yaml::suggestion;
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::LocalSet;

pub(super) use published::{matrix as published_matrix, read as read_matrix};

/// Play every fault against the suite, and print what caught it
///
/// A fault is killed if a rule or scenario that is named for it catches it, at the frame where it happened, and no other rule has a
/// finding. Errors are: a fault that is never played, changes nothing, or is caught by another rule or at another frame, and a rule that
/// kills no fault.
///
/// Without an agent, the reference agent plays its own faults. With an agent, the faults of the dialect's `faults.yaml` are played on its
/// frames, by a filter between it and the judge: so the author of a dialect proves its rules. The agent must pass the suite first. A
/// dialect without `faults.yaml` gets generic faults, made from the frames that the agent sends: dropped, doubled, swapped, late, torn, a
/// member of another type, an id that nobody knows. What nothing catches is a question for the author, not an error, unless --accepted
/// lists the answers.
///
/// Exit status: 0 all killed, 1 survivors or an agent with findings, 3 faults that were never active.
#[derive(Debug, clap::Args)]
pub(super) struct MutantsArgs {
    /// The agent's program and its arguments, as in `conform run` [default: the bundled reference agent]
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    agent: Vec<OsString>,
    #[command(flatten)]
    dialect: DialectArgs,
    #[command(flatten)]
    run: RunOptions,
    /// Only the faults of one side: `host` judges the bad hosts of `hosts.yaml`, and starts no agent
    #[arg(long, value_enum, conflicts_with_all = ["agent", "generic"])]
    side: Option<SideArg>,
    /// Play generic faults, even if the dialect has a `faults.yaml`
    #[arg(long)]
    generic: bool,
    /// Generic faults that may survive, a YAML map from their ids to reasons; others that survive fail
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Known findings of the agent; scenarios that have some are left out
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Only faults whose id contains this text; repeatable
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Only the K-th of N parts of the faults
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// How many faults to play at once [default: three a core]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    /// Stretch every time budget by this factor; a fault that hangs uses its whole budget. What is not killed is played again with full budgets
    #[arg(long, value_name = "X", default_value_t = 0.2)]
    time_scale: f64,
    /// Write each dialect's matrix into this folder, as `NAME@VERSION.json` and as a page to read; faults that are not played keep their rows
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
    /// Fail where a matrix differs from the one in this folder: a fault that is new or gone, or has another text, expectation or fate
    #[arg(long, value_name = "DIR")]
    compare: Option<PathBuf>,
}

impl MutantsArgs {
    /// Whether every fault is played.
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.shard.is_none()
    }
}

pub(super) fn run(args: MutantsArgs) -> Result<ExitStatus, CommandError> {
    conform_runner::adopt_orphans();
    let status = if !args.agent.is_empty() || args.generic {
        prove(&args)
    } else {
        matrices(&args).and_then(|matrices| output::status(print(&matrices, &args)))
    };
    termination::kill_strays();
    status
}

fn matrices(args: &MutantsArgs) -> Result<Vec<Matrix>, CommandError> {
    let known = catalogue::load(&args.dialect)?;
    let runtime = Runtime::new()?;
    let source = DialectSource::new(args.dialect.dialect_dir.clone());
    let mutation_run = mutation_run(args, &source);
    let mut matrices = Vec::new();
    let mut ids = Vec::new();
    for known in known {
        let id = known.dialect.id();
        let outcome = runtime.block_on(LocalSet::new().run_until(mutation_run.matrix(known)));
        let Some(outcome) = outcome.map_err(CommandError::harness)? else {
            continue;
        };
        if let Some(folder) = &args.publish {
            published::write(folder, &id, |before| outcome.over(before))?;
        }
        matrices.push(outcome.matrix());
        ids.extend(outcome.all);
    }
    if matrices.iter().all(|m| m.faults.is_empty()) {
        return Err(no_fault(args, &ids));
    }
    Ok(matrices)
}

/// The error that no fault is selected, with a suggestion for each pattern.
fn no_fault(args: &MutantsArgs, known: &[String]) -> CommandError {
    let known = || known.iter().map(String::as_str);
    let is_unknown = |pattern: &&String| !known().any(|id| id.contains(pattern.as_str()));
    let patterns = args.only.iter().filter(is_unknown).map(|pattern| {
        let near = suggestion(pattern, known());
        format!("--only {} matches no fault{near}", output::quoted(pattern))
    });
    let mut why: Vec<String> = patterns.collect();
    if why.is_empty() {
        why.push("there is no fault".to_owned());
    }
    let message = format!(
        "nothing was played (`conform list faults` shows what there is): {}",
        why.join("; ")
    );
    CommandError::incomplete(message)
}

fn mutation_run<'a>(args: &'a MutantsArgs, source: &'a DialectSource) -> MutationRun<'a> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    MutationRun {
        source,
        only: &args.only,
        side: args.side.map(Blame::from),
        shard: args.shard,
        jobs: args.jobs.map_or(3 * cores, NonZeroUsize::get),
        time_scale: args.time_scale,
    }
}

/// Proves the rules of dialects with an agent: each suite of the run plan must pass, then the faults are played.
fn prove(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    let accepted = args.accepted.as_deref().map(Accepted::read).transpose()?;
    let request = args.run.request(&args.dialect, &args.agent);
    let sandboxes = Arc::new(SandboxRoot::new()?);
    let (_cancel, cancelled) = watch::channel(false);
    let runtime = Runtime::new()?;
    let before = LastFailures::read(&args.agent);
    let plan = runtime.block_on(run_plan(&request, &sandboxes, &cancelled, &before))?;
    check_fault_names(args, &plan)?;
    let mut status = ExitStatus::Conformant;
    let mut known = Vec::new();
    let mut played = false;
    for suite in plan.suites {
        let folder = plan.dialect_dir.clone();
        let proof = prove_suite(args, suite, folder, accepted.as_ref(), &sandboxes);
        let proof = runtime.block_on(LocalSet::new().run_until(proof))?;
        played |= proof.played > 0;
        known.extend(proof.known);
        status = worse(status, proof.status);
    }
    if !played {
        return Err(no_fault(args, &known));
    }
    Ok(status)
}

/// Checks that each `--only` selects a fault of the plan's dialects. Generic faults are known only when the agent has been played.
fn check_fault_names(args: &MutantsArgs, plan: &RunPlan) -> Result<(), CommandError> {
    let source = DialectSource::new(plan.dialect_dir.clone());
    let mut known = Vec::new();
    for suite in &plan.suites {
        match any_agent::listed_faults(&source, &suite.dialect)?.filter(|_| !args.generic) {
            Some(table) => known.extend(table.faults().iter().map(|fault| fault.id.clone())),
            None => return Ok(()),
        }
    }
    let is_known = |pattern: &String| known.iter().any(|id| id.contains(pattern.as_str()));
    match args.only.iter().all(is_known) {
        true => Ok(()),
        false => Err(no_fault(args, &known)),
    }
}

/// A violation outweighs what is incomplete.
fn worse(one: ExitStatus, other: ExitStatus) -> ExitStatus {
    match (one, other) {
        (ExitStatus::Violations, _) | (_, ExitStatus::Violations) => ExitStatus::Violations,
        (one, other) => one.max(other),
    }
}

/// What became of the faults of one dialect.
struct SuiteProof {
    /// How many faults were selected.
    played: usize,
    /// The ids of all faults.
    known: Vec<String>,
    status: ExitStatus,
}

/// Plays the faults of one dialect, and prints what became of them.
async fn prove_suite(
    args: &MutantsArgs,
    suite: DialectSuite,
    folder: Option<PathBuf>,
    accepted: Option<&Accepted>,
    sandboxes: &Arc<SandboxRoot>,
) -> Result<SuiteProof, CommandError> {
    let source = DialectSource::new(folder.clone());
    let mutation_run = mutation_run(args, &source);
    let table = any_agent::listed_faults(&source, &suite.dialect)?;
    let baseline = BaselineArgs::of(args.baseline.clone()).read()?;
    output::note(format_args!(
        "{}: playing {} without a fault, which the agent must pass",
        suite.dialect.id(),
        count(suite.scenarios.len() as u64, "scenario")
    ));
    let good = any_agent::good_agent(suite, folder, &baseline, Arc::clone(sandboxes)).await?;
    match good.left_out {
        0 => {}
        1 => output::note("1 scenario is left out: the agent has known findings there"),
        several => output::note(format_args!(
            "{several} scenarios are left out: the agent has known findings there"
        )),
    }
    match table.filter(|_| !args.generic) {
        Some(table) => {
            let outcome = any_agent::matrix(&mutation_run, good, &table).await?;
            let status = print_proof(&outcome, args)?;
            Ok(SuiteProof {
                played: outcome.outcome.rows.len(),
                known: outcome.outcome.all,
                status,
            })
        }
        None => {
            let outcome = generic_run::outcome(&mutation_run, good).await?;
            let mut out = output::stdout();
            print_rows(&outcome.rows, &mut out)?;
            let status = match outcome.print(accepted, &mut out)? {
                true => ExitStatus::Conformant,
                false => ExitStatus::Violations,
            };
            Ok(SuiteProof {
                played: outcome.rows.len(),
                known: outcome.all,
                status,
            })
        }
    }
}

/// Prints the matrix of an agent's faults. Faults that were never active make the proof incomplete.
fn print_proof(outcome: &AgentOutcome, args: &MutantsArgs) -> std::io::Result<ExitStatus> {
    let mut out = output::stdout();
    let AgentOutcome { outcome, missing } = outcome;
    let matrix = outcome.matrix();
    print_rows(&matrix.faults, &mut out)?;
    let mut status = ExitStatus::Conformant;
    for row in &matrix.faults {
        if row.fate == Fate::NotReached {
            let why = missing.get(&row.fault);
            let why = why.map_or("no frame that it applies to was sent", String::as_str);
            writeln!(out, "warning: {}: it was not active: {why}", row.fault)?;
            status = worse(status, ExitStatus::Incomplete);
        } else if let Some(complaint) = row.complaint() {
            writeln!(out, "error: {complaint}")?;
            status = ExitStatus::Violations;
        }
    }
    let unproved = matrix.rules_without_killer.len();
    if args.is_whole() && unproved > 0 {
        let rules = matrix.rules_without_killer.join(", ");
        writeln!(
            out,
            "note: no fault proves that these rules can fail ({unproved}): {rules}"
        )?;
    }
    if let Some(folder) = &args.publish {
        published::write(folder, &matrix.dialect, |before| outcome.over(before))?;
    }
    if let Some(folder) = &args.compare {
        let published = published::read(folder, &matrix.dialect)?;
        for difference in matrix.differences(&published, args.is_whole()) {
            writeln!(out, "error: {difference}")?;
            status = ExitStatus::Violations;
        }
    }
    writeln!(out, "{}", matrix.summary())?;
    Ok(status)
}

fn print_rows(rows: &[Row], out: &mut dyn Write) -> std::io::Result<()> {
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let titles = ["FAULT", "FATE", "CAUGHT BY", "LINE", "FRAME", "SCENARIO"];
    table::write(&titles, &rows, out)
}

/// Prints the matrices. A complaint is a violation.
fn print(matrices: &[Matrix], args: &MutantsArgs) -> std::io::Result<ExitStatus> {
    let mut out = output::stdout();
    let mut clean = true;
    for matrix in matrices {
        print_rows(&matrix.faults, &mut out)?;
        let mut complaints = matrix.complaints(args.is_whole());
        if let Some(folder) = &args.compare {
            let published = published::read(folder, &matrix.dialect)?;
            let whole = args.is_whole() && args.side.is_none();
            complaints.extend(matrix.differences(&published, whole));
        }
        for complaint in &complaints {
            writeln!(out, "error: {complaint}")?;
        }
        writeln!(out, "{}", matrix.summary())?;
        clean &= complaints.is_empty();
    }
    Ok(match clean {
        true => ExitStatus::Conformant,
        false => ExitStatus::Violations,
    })
}

fn cells(row: &Row) -> Vec<String> {
    let caught = row.line > 0 || !row.frame.is_empty();
    vec![
        row.fault.clone(),
        row.fate.word().to_owned(),
        row.caught_by.clone(),
        if caught {
            row.line.to_string()
        } else {
            String::new()
        },
        row.frame.clone(),
        row.scenario.clone(),
    ]
}
