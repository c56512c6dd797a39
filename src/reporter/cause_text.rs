//! A cause in a few plain lines, for the formats that show it outside a terminal.

use super::text;
use crate::report::{Cause, Report};

/// The most clauses, and the most alternatives of what would have been allowed, that are listed.
const LISTED: usize = 3;
/// The most scenarios that are named.
const NAMED: usize = 5;

/// The lines after the message: where it is, the clauses, what was expected, and the command that reproduces it.
pub(super) fn details(report: &Report, cause: &Cause) -> Vec<String> {
    let example = &cause.example;
    let mut lines = vec![
        format!("In {}", scenarios(cause)),
        format!("Example: {} at frame {}", example.scenario, example.at),
    ];
    for id in cause.clauses.iter().take(LISTED) {
        lines.push(format!("Clause {}", clause(report, id)));
    }
    for (index, expected) in example.expected.iter().take(LISTED).enumerate() {
        let word = if index == 0 { "Expected" } else { "or" };
        lines.push(format!("{word} {expected}"));
    }
    if let Some(frame) = example.frames.iter().find(|frame| frame.here) {
        lines.push(format!("Actual {}", frame.text));
    }
    if !cause.rerun.is_empty() {
        lines.push(format!("Rerun: {}", cause.rerun));
    }
    lines.push(format!("Explain: conform explain {}", cause.rule));
    lines.iter().map(|line| text::visible(line)).collect()
}

/// The number of scenarios, and the first of them.
pub(super) fn scenarios(cause: &Cause) -> String {
    let number = cause.scenarios.len();
    let mut named: Vec<_> = cause.scenarios.iter().take(NAMED).cloned().collect();
    if number > NAMED {
        named.push(format!("{} more", number - NAMED));
    }
    let count = text::count(number as u64, "scenario");
    format!("{count}: {}", named.join(", "))
}

/// A clause with its section and text, or its id alone if the report does not contain it.
pub(super) fn clause(report: &Report, id: &str) -> String {
    match report.clauses.get(id) {
        Some(clause) => format!(
            "{id} (section {}, {}): {}",
            clause.section,
            text::level(clause.strength),
            clause.text
        ),
        None => id.to_owned(),
    }
}
