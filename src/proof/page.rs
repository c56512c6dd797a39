//! The kill matrix as a page to read.

use super::matrix::{Matrix, Row};
use std::fmt::Write as _;

/// The matrix in Markdown.
#[must_use]
pub fn markdown(matrix: &Matrix) -> String {
    let mut page = format!(
        "# Kill matrix of {}\n\n{}.\n\n",
        matrix.dialect,
        matrix.sum()
    );
    page += "Each row is a deliberate defect of the reference agent, and the rule or the scenario that caught it: at which frame, and behind how many lines of stdout.\n\n";
    page +=
        "| fault | what goes wrong | | caught by | at | scenario |\n|---|---|---|---|---|---|\n";
    for row in &matrix.faults {
        page += &line(row);
    }
    let complaints = matrix.complaints(true);
    if !complaints.is_empty() {
        page += "\n## What is missing\n\n";
        for complaint in complaints {
            // Writing to a text cannot fail.
            let _ = writeln!(page, "- {complaint}");
        }
    }
    page
}

fn line(row: &Row) -> String {
    let Row {
        fault,
        caught_by,
        frame,
        scenario,
        ..
    } = row;
    let summary = row.summary.replace('|', "\\|");
    let also = match row.also.as_slice() {
        [] => String::new(),
        also => format!(" (and {})", also.join(", ")),
    };
    let at = if frame.is_empty() {
        String::new()
    } else {
        format!("{frame}, {}", row.line)
    };
    let fate = row.fate.word();
    format!("| `{fault}` | {summary} | {fate} | {caught_by}{also} | {at} | {scenario} |\n")
}
