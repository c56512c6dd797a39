//! What became of the faults of one dialect: the rows of its kill matrix, and what is to be said about them.

use crate::cli::exit::ExitStatus;
use conform_runner::mutation::matrix::{Matrix, Row, over};

/// The result for the faults of one dialect.
#[derive(Default)]
pub(super) struct Proof {
    pub(super) dialect: String,
    pub(super) rows: Vec<Row>,
    /// Every fault of the dialect, in its order.
    pub(super) all: Vec<String>,
    /// The rules that at least one fault must kill.
    pub(super) rules: Vec<String>,
    /// Those of them whose faults were played.
    pub(super) played_rules: Vec<String>,
    pub(super) remarks: Vec<Remark>,
    /// The last line, where it is not the matrix's own.
    pub(super) summary: Option<String>,
}

impl Proof {
    /// The matrix of the faults that were played.
    pub(super) fn matrix(&self) -> Matrix {
        Matrix::new(&self.dialect, self.rows.clone(), &self.played_rules)
    }

    /// The matrix with the rows of an earlier one for faults that were not played.
    pub(super) fn over(&self, before: &Matrix) -> Matrix {
        let rows = over(&self.all, &self.rows, &before.faults);
        Matrix::new(&self.dialect, rows, &self.rules)
    }
}

/// A line about a fault or a rule, and the exit status that it leads to.
pub(super) struct Remark {
    pub(super) status: ExitStatus,
    pub(super) line: String,
}

impl Remark {
    /// What the author must mend.
    pub(super) fn error(text: impl std::fmt::Display) -> Self {
        Remark {
            status: ExitStatus::Violations,
            line: format!("error: {text}"),
        }
    }

    /// What makes the proof incomplete.
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
