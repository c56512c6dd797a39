//! The output about the faults or variants of one dialect: each result as it comes, then the table, the remarks and the exit status.

use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::{output, table};
use conform_report::reporter::text::count;
use conform_runner::mutation::matrix::{PublishedRow, Row, differences};
use std::io::Write;

/// A line about a fault or a rule, and the exit status that it leads to.
pub(super) struct Remark {
    status: ExitStatus,
    line: String,
}

impl Remark {
    /// The defects that the author must fix.
    pub(super) fn error(text: impl std::fmt::Display) -> Self {
        Remark {
            status: ExitStatus::Violations,
            line: format!("error: {text}"),
        }
    }

    /// The reasons why the proof is incomplete.
    pub(super) fn warning(text: impl std::fmt::Display) -> Self {
        Remark {
            status: ExitStatus::Incomplete,
            line: format!("warning: {text}"),
        }
    }

    /// A line without a consequence.
    pub(super) fn note(line: String) -> Self {
        Remark {
            status: ExitStatus::Conformant,
            line,
        }
    }
}

/// The result for one dialect.
pub(super) struct Proof<R> {
    pub(super) rows: Vec<R>,
    pub(super) remarks: Vec<Remark>,
    /// The last line.
    pub(super) summary: String,
}

impl<R: PublishedRow> Proof<R> {
    /// Adds the differences from published rows; rows that are gone only if all were played.
    pub(super) fn compare(&mut self, before: &[R], is_whole: bool) {
        let found = differences(&self.rows, before, is_whole).into_iter();
        self.remarks.extend(found.map(Remark::error));
    }

    /// Prints the table, the remarks and the summary.
    pub(super) fn print(&self) -> Result<ExitStatus, CommandError> {
        let cells: Vec<Vec<String>> = self.rows.iter().map(PublishedRow::cells).collect();
        let print = || {
            let mut out = output::stdout();
            table::write(R::TITLES, &cells, &mut out)?;
            for remark in &self.remarks {
                writeln!(out, "{}", remark.line)?;
            }
            writeln!(out, "{}", self.summary)
        };
        print().map_err(output::failure)?;
        let statuses = self.remarks.iter().map(|remark| remark.status);
        Ok(statuses.fold(ExitStatus::Conformant, worse))
    }
}

/// A violation outweighs what is incomplete.
pub(super) fn worse(one: ExitStatus, other: ExitStatus) -> ExitStatus {
    match (one, other) {
        (ExitStatus::Violations, _) | (_, ExitStatus::Violations) => ExitStatus::Violations,
        (one, other) => one.max(other),
    }
}

/// Shows results on stderr as they come, each with its number.
pub(super) struct Progress {
    shown: usize,
    all: usize,
}

impl Progress {
    /// Prints which trials of a dialect are played.
    pub(super) fn new(dialect: &str, all: usize, what: &str) -> Self {
        let announced = count(all as u64, what);
        output::note(format_args!("{dialect}: playing {announced}"));
        Progress { shown: 0, all }
    }

    /// Shows the next row of a kill matrix.
    pub(super) fn row(&mut self, row: &Row) {
        self.show(row.fate.word(), &row.fault, &row.caught_by);
    }

    /// Shows the next result.
    pub(super) fn show(&mut self, fate: &str, id: &str, by: &str) {
        self.shown += 1;
        let (shown, all) = (self.shown, self.all);
        let line = format!("{shown:>6} of {all}  {fate:<12}  {id}  {by}");
        // A closed stderr cannot be reported.
        let _ = writeln!(anstream::stderr(), "{}", line.trim_end());
    }
}
