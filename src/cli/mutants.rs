//! `conform mutants`: every fault of the mock agent against the suite.

mod hunt;
mod published;

use super::args::DialectArgs;
use super::catalogue;
use super::exit::ExitStatus;
use super::{output, table};
use crate::proof::matrix::{Fate, Matrix};
use hunt::Hunt;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tokio::task::LocalSet;

pub(super) use published::matrix as published_matrix;

/// Play every fault of the mock agent against the suite, and print what caught it
///
/// A fault is killed if what must catch it does, and no other rule complains. A fault that changes nothing, a fault that is caught for
/// another reason, and a rule that no fault kills are errors.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    dialect: DialectArgs,
    /// Only faults whose id contains this text; repeatable
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// How many faults to play at once [default: three a core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Stretch every time budget by this factor; a fault that hangs costs its whole budget
    #[arg(long, value_name = "X", default_value_t = 0.3)]
    time_scale: f64,
    /// Write each dialect's matrix into this folder, as `NAME@VERSION.json`
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
}

pub(super) fn run(args: Args) -> ExitStatus {
    crate::runner::adopt_orphans();
    let status = match matrices(&args) {
        Ok(matrices) => output::status(print(&matrices, args.only.is_empty()).map(|clean| {
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
    let strays = crate::runner::end_strays();
    if strays > 0 {
        output::warning(format_args!(
            "{strays} processes that the agent had left behind were killed"
        ));
    }
    status
}

fn matrices(args: &Args) -> Result<Vec<Matrix>, (ExitStatus, String)> {
    let known = catalogue::load(&args.dialect).map_err(|message| (ExitStatus::Usage, message))?;
    let harness = |error: std::io::Error| (ExitStatus::Harness, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(harness)?;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let hunt = Hunt {
        only: &args.only,
        jobs: args.jobs.map_or(3 * cores, NonZeroUsize::get),
        time_scale: args.time_scale,
    };
    let mut matrices = Vec::new();
    for known in known {
        if let Some(matrix) = runtime
            .block_on(LocalSet::new().run_until(hunt.matrix(known)))
            .map_err(|why| (ExitStatus::Harness, why))?
        {
            matrices.push(matrix);
        }
    }
    if matrices.iter().all(|m| m.faults.is_empty()) {
        return Err((
            ExitStatus::Incomplete,
            "no fault was played: nothing matches".to_owned(),
        ));
    }
    if let Some(folder) = &args.publish {
        std::fs::create_dir_all(folder).map_err(harness)?;
        for matrix in &matrices {
            let text = serde_json::to_string_pretty(matrix).map_err(|e| harness(e.into()))?;
            std::fs::write(folder.join(format!("{}.json", matrix.dialect)), text + "\n")
                .map_err(harness)?;
        }
    }
    Ok(matrices)
}

/// Prints the matrices; whether all is well.
fn print(matrices: &[Matrix], whole: bool) -> std::io::Result<bool> {
    let mut out = output::stdout();
    let mut clean = true;
    for matrix in matrices {
        let rows: Vec<Vec<String>> = matrix
            .faults
            .iter()
            .map(|row| {
                let fate = match row.fate {
                    Fate::Killed => "killed",
                    Fate::Collateral(_) => "COLLATERAL",
                    Fate::WrongReason(_) => "WRONG REASON",
                    Fate::Survived => "SURVIVED",
                };
                let frame = if row.frame == 0 {
                    String::new()
                } else {
                    row.frame.to_string()
                };
                vec![
                    row.fault.clone(),
                    fate.to_owned(),
                    row.caught_by.clone(),
                    frame,
                    row.scenario.clone(),
                ]
            })
            .collect();
        table::write(
            &["FAULT", "FATE", "CAUGHT BY", "FRAME", "SCENARIO"],
            &rows,
            &mut out,
        )?;
        let complaints: Vec<String> = matrix
            .faults
            .iter()
            .filter_map(|row| row.complaint())
            .collect();
        let unproved = matrix.rules_without_killer.iter().filter(|_| whole);
        let unproved = unproved.map(|rule| format!("{rule}: no fault shows that it can fail"));
        let complaints: Vec<String> = complaints.into_iter().chain(unproved).collect();
        for complaint in &complaints {
            writeln!(out, "error: {complaint}")?;
        }
        let killed = matrix
            .faults
            .iter()
            .filter(|row| row.fate == Fate::Killed)
            .count();
        writeln!(
            out,
            "{}: {killed} of {} faults killed",
            matrix.dialect,
            matrix.faults.len()
        )?;
        clean &= complaints.is_empty();
    }
    Ok(clean)
}
