//! The baseline options of `conform run` and `conform check`, and how a baseline is applied to a report. Only here the clock is read.

use super::command_error::CommandError;
use super::whole_file::write_whole;
use super::{output, reports};
use conform_judge::finding::Blame;
use conform_report::baseline::{self, Baseline, BaselineEntry, Date, DatedBaseline, RunExtent};
use conform_report::{Report, ScenarioReport};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The baseline options.
#[derive(Debug, Default, clap::Args)]
pub(super) struct BaselineArgs {
    /// Known causes that do not fail, each with its reason; an entry that no longer matches anything fails
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Update the baseline: add new causes, remove entries that nothing matches
    #[arg(long, requires = "baseline")]
    pub(super) update_baseline: bool,
    /// Treat warnings as violations, except those in the baseline
    #[arg(long)]
    pub(super) deny_warnings: bool,
}

/// A baseline in use. Without one on the command line it is empty.
#[derive(Debug)]
pub(super) struct ActiveBaseline {
    baseline: Arc<Baseline>,
    today: Date,
    update: bool,
}

impl BaselineArgs {
    /// The file, if there is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.baseline.as_deref()
    }

    /// The options with this baseline only.
    pub(super) fn new(baseline: Option<PathBuf>) -> Self {
        BaselineArgs {
            baseline,
            ..BaselineArgs::default()
        }
    }

    /// Reads the baseline file.
    ///
    /// # Errors
    /// The file cannot be read, or every mistake in it with its location.
    pub(super) fn read(&self) -> Result<ActiveBaseline, CommandError> {
        let baseline = match &self.baseline {
            Some(path) => {
                if self.update_baseline {
                    reports::check_file(path)?;
                }
                read(path, self.update_baseline)?
            }
            None => Baseline::default(),
        };
        Ok(ActiveBaseline {
            baseline: Arc::new(baseline),
            today: today(),
            update: self.update_baseline,
        })
    }

    /// Whether a report fails for other reasons than its findings: stale entries of the baseline, or denied warnings.
    pub(super) fn is_failed_by(&self, report: &Report) -> bool {
        !report.stale.is_empty() || (self.deny_warnings && report.summary.warned > 0)
    }
}

impl ActiveBaseline {
    /// The baseline as of today.
    pub(super) fn dated(&self) -> DatedBaseline {
        DatedBaseline {
            baseline: Arc::clone(&self.baseline),
            today: self.today,
        }
    }

    /// Marks the findings of a scenario that the baseline covers.
    pub(super) fn mark(&self, scenario: &mut ScenarioReport, side: Blame) {
        baseline::mark(scenario, side, &self.baseline, self.today);
    }

    /// Marks the patterns that can match nothing, whatever is run.
    pub(super) fn note_absent(&mut self, is_absent: impl Fn(&str) -> bool) {
        let baseline = Arc::make_mut(&mut self.baseline);
        let all = baseline.entries.iter().flat_map(|entry| &entry.scenarios);
        baseline.absent = all.filter(|pattern| is_absent(pattern)).cloned().collect();
    }

    /// Adds the stale entries to the report, or updates the baseline file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn apply(
        mut self,
        report: &mut Report,
        extent: RunExtent,
    ) -> Result<(), CommandError> {
        if self.update {
            self.baseline = Arc::new(self.updated(report, extent)?);
        }
        baseline::apply(report, &self.baseline, self.today, extent);
        Ok(())
    }

    /// Whether there is a file.
    pub(super) fn has_file(&self) -> bool {
        !self.baseline.path.as_os_str().is_empty()
    }

    /// Warns that the file was not updated.
    pub(super) fn skip_update(&self) {
        if self.update {
            output::warning(format_args!(
                "{} was not updated: the run is not complete",
                self.baseline.path.display()
            ));
        }
    }

    fn updated(&self, report: &Report, extent: RunExtent) -> Result<Baseline, CommandError> {
        let path = &self.baseline.path;
        let text = baseline::update(&self.baseline, report, self.today, extent);
        let mut updated = baseline::load(path.clone(), &text)?;
        updated.absent.clone_from(&self.baseline.absent);
        write_whole(path, text.as_bytes()).map_err(CommandError::unwritable(path))?;
        let (before, after) = (&self.baseline.entries, &updated.entries);
        let missing = |from: &[BaselineEntry], others: &[BaselineEntry], word| {
            let is_absent =
                |one: &&BaselineEntry| others.iter().all(|other| other.accepted != one.accepted);
            let absent = from.iter().filter(is_absent).inspect(|one| {
                output::note(format_args!("{word}: {} in {}", one.what, one.places()));
            });
            absent.count()
        };
        let added = missing(after, before, "came");
        let dropped = missing(before, after, "went");
        output::note(format_args!(
            "{} written: {} added, {} dropped, {} in all, {} without a reason",
            path.display(),
            added,
            dropped,
            after.len(),
            updated.without_reason()
        ));
        Ok(updated)
    }
}

fn read(path: &Path, may_be_new: bool) -> Result<Baseline, CommandError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(baseline::load(path.to_owned(), &text)?),
        Err(error) if error.kind() == ErrorKind::NotFound && may_be_new => Ok(Baseline {
            path: path.to_owned(),
            ..Baseline::default()
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(CommandError::usage(format!(
            "{}: the baseline does not exist; --update-baseline writes one",
            path.display()
        ))),
        Err(error) => Err(CommandError::unreadable(path)(error)),
    }
}

fn today() -> Date {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Date::of_unix(since.unwrap_or_default().as_secs())
}
