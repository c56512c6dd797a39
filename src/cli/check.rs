//! `conform check`: judges recorded sessions.

mod judge;

use super::args::{DialectArgs, ReportTarget, SideArg, report_target};
use super::exit::ExitStatus;
use super::{output, reports};
use crate::profile::Profile;
use crate::report::Report;
use crate::reporter::terminal;
use std::path::PathBuf;
use std::time::Instant;

/// Judge recorded sessions, no process involved
///
/// A transcript names its dialect in its first line. A plain capture of an agent's stdout is judged too; name its dialect with
/// --dialect.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recorded sessions; `-` is standard input
    #[arg(required = true, value_name = "TRANSCRIPT")]
    transcripts: Vec<PathBuf>,
    #[command(flatten)]
    dialect: DialectArgs,
    /// Whose findings decide
    #[arg(long, value_enum, default_value_t)]
    side: SideArg,
    /// How severe to be
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,
    /// Also write a report; repeatable; `-` as the path is standard output
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    reports: Vec<ReportTarget>,
}

pub(super) fn run(args: Args) -> ExitStatus {
    let started = Instant::now();
    let mut screen = reports::screen(&args.reports);
    output::status(
        judge::all(&args, &mut *screen).and_then(|(mut report, unread)| {
            report.duration_ms = started.elapsed().as_millis() as u64;
            if !report.scenarios.is_empty() {
                terminal::closing(&report, &mut *screen)?;
            }
            screen.flush()?;
            drop(screen);
            Ok(status(&report, unread, &args.reports))
        }),
    )
}

fn status(report: &Report, unread: bool, targets: &[ReportTarget]) -> ExitStatus {
    if let Err(message) = reports::write(report, targets) {
        output::error(message);
        return ExitStatus::Usage;
    }
    if unread {
        ExitStatus::Usage
    } else {
        ExitStatus::of(&report.summary)
    }
}
