//! `conform mutants`: mutation testing of the suite. Plays every fault of the mock agent and prints the kill matrix.

mod mutation_run;
mod published;

use super::args::DialectArgs;
use super::catalogue;
use super::exit::ExitStatus;
use super::{output, table, termination};
use crate::dialect::DialectSource;
use crate::mutation::matrix::{Matrix, Row};
use crate::runner::selection::Shard;
use mutation_run::MutationRun;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tokio::task::LocalSet;

pub(super) use published::matrix as published_matrix;

/// Play every fault of the mock agent against the suite, and print what caught it
///
/// A fault is killed if a rule or scenario that is named for it catches it, at the frame where it happened, and no other rule has a
/// finding. Errors are: a fault that is never played, changes nothing, or is caught by another rule or at another frame, and a rule that
/// kills no fault.
#[derive(Debug, clap::Args)]
pub(super) struct MutantsArgs {
    #[command(flatten)]
    dialect: DialectArgs,
    /// Only faults whose id contains this text; repeatable
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Only the K-th of N parts of the faults
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// How many faults to play at once [default: three a core]
    #[arg(short, long, value_name = "N")]
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

pub(super) fn run(args: MutantsArgs) -> ExitStatus {
    crate::runner::adopt_orphans();
    let status = match matrices(&args) {
        Ok(matrices) => output::status(print(&matrices, &args).map(|clean| {
            if clean {
                ExitStatus::Conformant
            } else {
                ExitStatus::Violations
            }
        })),
        Err((status, message)) => {
            output::error(message);
            status
        }
    };
    termination::kill_strays();
    status
}

fn matrices(args: &MutantsArgs) -> Result<Vec<Matrix>, (ExitStatus, String)> {
    let known = catalogue::load(&args.dialect).map_err(|message| (ExitStatus::Usage, message))?;
    let harness = |error: std::io::Error| (ExitStatus::Harness, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(harness)?;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let source = DialectSource::new(args.dialect.dialect_dir.clone());
    let mutation_run = MutationRun {
        source: &source,
        only: &args.only,
        shard: args.shard,
        jobs: args.jobs.map_or(3 * cores, NonZeroUsize::get),
        time_scale: args.time_scale,
    };
    let mut matrices = Vec::new();
    for known in known {
        let id = known.dialect.id();
        let outcome = runtime.block_on(LocalSet::new().run_until(mutation_run.matrix(known)));
        let Some(outcome) = outcome.map_err(|why| (ExitStatus::Harness, why))? else {
            continue;
        };
        if let Some(folder) = &args.publish {
            published::write(folder, &id, &outcome).map_err(harness)?;
        }
        matrices.push(outcome.matrix());
    }
    if matrices.iter().all(|m| m.faults.is_empty()) {
        return Err((
            ExitStatus::Incomplete,
            "no fault was played: nothing matches".to_owned(),
        ));
    }
    Ok(matrices)
}

/// Prints the matrices. Returns whether there is no complaint.
fn print(matrices: &[Matrix], args: &MutantsArgs) -> std::io::Result<bool> {
    let mut out = output::stdout();
    let mut clean = true;
    for matrix in matrices {
        let rows: Vec<Vec<String>> = matrix.faults.iter().map(cells).collect();
        table::write(
            &["FAULT", "FATE", "CAUGHT BY", "LINE", "FRAME", "SCENARIO"],
            &rows,
            &mut out,
        )?;
        let mut complaints = matrix.complaints(args.is_whole());
        if let Some(folder) = &args.compare {
            let published = published::read(folder, &matrix.dialect)?;
            complaints.extend(matrix.differences(&published, args.is_whole()));
        }
        for complaint in &complaints {
            writeln!(out, "error: {complaint}")?;
        }
        writeln!(out, "{}", matrix.summary())?;
        clean &= complaints.is_empty();
    }
    Ok(clean)
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
