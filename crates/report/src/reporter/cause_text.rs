//! A cause in a few plain lines, for the formats that show it outside a terminal.

use super::text;
use crate::{Cause, Report};

/// The most clauses, and the most allowed alternatives, that are listed.
const LISTED: usize = 3;

/// The lines after the message: where it is, the clauses, what was expected, and the command that reproduces it.
pub(super) fn details(report: &Report, cause: &Cause) -> Vec<String> {
    let example = &cause.example;
    let (extent, scenarios) = (
        text::extent(report, cause),
        text::folded(report, &cause.scenarios),
    );
    let mut lines = vec![
        format!("In {extent}: {scenarios}"),
        format!("Example: {} at frame {}", example.scenario, example.at),
    ];
    let cited = text::cited(report, &cause.clauses);
    lines.extend(cited.iter().take(LISTED).map(|one| format!("Clause {one}")));
    for (index, expected) in example.expected.iter().take(LISTED).enumerate() {
        let word = if index == 0 { "Expected" } else { "or" };
        lines.push(format!("{word} {expected}"));
    }
    let frame = example.frames.iter().find(|frame| frame.here);
    let actual = text::value_at(&example.frames, &example.pointer);
    if let Some(actual) = actual.or_else(|| Some(frame?.text.clone())) {
        lines.push(format!("Actual {actual}"));
    }
    if !cause.advice.is_empty() {
        lines.push(format!("To do: {}", cause.advice));
    }
    if !cause.rerun.is_empty() {
        lines.push(format!("Rerun: {}", cause.rerun));
    }
    lines.push(format!("Explain: {}", text::explain(report, cause)));
    lines.iter().map(|line| text::visible(line)).collect()
}
