//! `conform check`: judges recorded sessions.

mod file_form;
mod judge;
mod read_ahead;

use super::args::{DetailsArg, DialectArgs, ProfileArg, ReportTarget, SideArg, report_target};
use super::baseline::BaselineArgs;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::{output, reports};
use conform_report::baseline::{RunExtent, dialect_of};
use conform_report::reporter::terminal;
use std::path::{Path, PathBuf};
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

/// Whether an entry of a baseline is for a transcript that is neither here nor beside the transcripts of this run.
fn is_absent_file(pattern: &str, transcripts: &[PathBuf]) -> bool {
    let is_file = dialect_of(pattern).is_none()
        && !pattern.contains(['*', '?'])
        && Path::new(pattern).extension().is_some();
    let mut folders = transcripts.iter().filter_map(|path| path.parent());
    is_file && !Path::new(pattern).exists() && !folders.any(|folder| folder.join(pattern).exists())
}

pub(super) fn run(args: CheckArgs) -> Result<ExitStatus, CommandError> {
    let started = Instant::now();
    let inputs = args.transcripts.iter().map(PathBuf::as_path);
    reports::check(&args.reports, inputs.chain(args.baseline.path()))?;
    let mut baseline = args.baseline.read()?;
    baseline.note_absent(|pattern| is_absent_file(pattern, &args.transcripts));
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
    reports::write(&report, &args.reports).and(applied)?;
    Ok(if unread {
        ExitStatus::Usage
    } else {
        ExitStatus::from_summary(&report.summary, args.baseline.is_failed_by(&report))
    })
}
