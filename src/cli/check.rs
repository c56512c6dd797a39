//! `conform check`: judges recorded sessions.

mod judge;
mod read_ahead;

use super::args::{DetailsArg, DialectArgs, ProfileArg, ReportTarget, SideArg, report_target};
use super::baseline::BaselineArgs;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::{output, reports};
use conform_report::baseline::RunExtent;
use conform_report::reporter::terminal;
use std::path::PathBuf;
use std::time::Instant;

/// Judge recorded sessions, without starting a process
///
/// A transcript names its dialect in its first line. Where it does not, and for a plain capture of an agent's stdout, the dialect is
/// detected from the frames and shown in a note. --dialect sets it.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The recorded sessions; `-` is standard input
    #[arg(required = true, value_name = "TRANSCRIPT")]
    transcripts: Vec<PathBuf>,
    #[command(flatten)]
    dialect: DialectArgs,
    /// Whose findings decide the exit status
    #[arg(long, value_enum, default_value_t)]
    side: SideArg,
    /// How levels turn into verdicts
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArg,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// What to show after the last transcript
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    details: DetailsArg,
    /// Also write a report; repeatable; `-` as the path is standard output
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    reports: Vec<ReportTarget>,
}

pub(super) fn run(args: CheckArgs) -> Result<ExitStatus, CommandError> {
    let started = Instant::now();
    reports::check(&args.reports)?;
    let baseline = args.baseline.read()?;
    let mut screen = reports::screen(&args.reports);
    let judged = judge::all(&args, &baseline, &mut *screen);
    let (mut report, unread) = judged.map_err(output::failure)?;
    report.duration_ms = started.elapsed().as_millis() as u64;
    let applied = if unread {
        baseline.skip_update();
        Ok(())
    } else {
        baseline.apply(&mut report, RunExtent::Whole)
    };
    if !report.scenarios.is_empty() {
        terminal::closing(&report, args.details.into(), &mut *screen).map_err(output::failure)?;
    }
    screen.flush().map_err(output::failure)?;
    drop(screen);
    applied.and_then(|()| reports::write(&report, &args.reports))?;
    Ok(if unread {
        ExitStatus::Usage
    } else {
        ExitStatus::from_summary(&report.summary, args.baseline.is_failed_by(&report))
    })
}
