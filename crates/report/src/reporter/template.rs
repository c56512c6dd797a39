//! Reports from templates (`reports/templates/`): Markdown tables, and the comparison of several agents.

use super::{cause_text, text};
use crate::{Cause, NamedReport, Report, ScenarioReport, compare};
use conform_judge::finding::{Finding, Level};
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;
use std::io::{self, Write};

/// How many causes have their details.
const DETAILED: usize = 10;
/// How many findings are listed: GitHub takes comments of up to 64 KiB, and job summaries of up to 1 MiB.
const LISTED: usize = 200;
/// The most characters of a cell.
const CELL: usize = 300;

/// A finding, or a scenario without one.
#[derive(Serialize)]
struct Row<'a> {
    /// The result of the scenario as one word.
    word: &'static str,
    scenario: &'a ScenarioReport,
    finding: Option<&'a Finding>,
}

/// The details of a cause, in a fence with more backticks than any line has.
fn detailed(report: &Report, cause: &Cause) -> Value {
    let lines = cause_text::details(report, cause);
    let ticks = lines.iter().map(|line| longest_run(line, '`')).max();
    context! {
        level => cause.level.word(),
        message => cause.message.as_str(),
        lines => Value::from_iter(lines),
        fence => "`".repeat(ticks.unwrap_or(0).max(2) + 1),
    }
}

fn longest_run(text: &str, of: char) -> usize {
    let runs = text.split(|char| char != of);
    runs.map(|run| run.chars().count()).max().unwrap_or(0)
}

fn rows(scenario: &ScenarioReport) -> Vec<Row<'_>> {
    let row = |finding| Row {
        word: if scenario.flaky {
            "flaky"
        } else {
            text::verdict(scenario.verdict)
        },
        scenario,
        finding,
    };
    let has_more =
        !(scenario.reason.is_empty() && scenario.tries.is_empty() && scenario.stderr.is_empty());
    match scenario.findings.is_empty() {
        true if has_more => vec![row(None)],
        _ => scenario.findings.iter().map(Some).map(row).collect(),
    }
}

/// Markdown for a pull request or the summary of a CI job.
pub(super) fn markdown(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../templates/report.md");
    let new = report.causes.iter().filter(|cause| {
        cause.baseline.is_none() && cause.blame == report.side && cause.level > Level::May
    });
    let new = new.chain(&report.inconclusive);
    let detailed = new.take(DETAILED).map(|cause| detailed(report, cause));
    // The findings of all scenarios, and the scenarios that have something else to say.
    let mut rows: Vec<_> = report.scenarios.iter().flat_map(rows).collect();
    let more = rows.len().saturating_sub(LISTED);
    rows.truncate(LISTED);
    let view = context! {
        report => Serde(report),
        detailed => detailed.collect::<Value>(),
        rows => Serde(rows),
        more,
    };
    fill(source, AutoEscape::None, view, out)
}

/// The comparison of several agents, as Markdown.
pub(super) fn comparison(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../templates/comparison.md");
    fill(source, AutoEscape::None, Serde(compare(reports)), out)
}

/// Fills a template.
pub(super) fn fill<T: Into<Value>>(
    source: &str,
    escape: AutoEscape,
    view: T,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(move |_| escape.clone());
    templates.add_filter("visible", visible);
    templates.add_filter("cell", cell);
    templates.add_filter("html", html);
    templates.add_filter("code", |code: &str| text::visible(code).replace('`', "'"));
    let page = templates
        .template_from_str(source)
        .map_err(io::Error::other)?;
    let rendered = page.render(view.into()).map_err(io::Error::other)?;
    writeln!(out, "{rendered}")
}

/// The text on one line, without control characters; nothing for `none`.
fn visible(value: Option<String>) -> String {
    text::visible(&value.unwrap_or_default())
}

/// The same for a cell of a Markdown table: markup is escaped, and a long text shortened.
fn cell(value: Option<String>) -> String {
    let mut out = String::new();
    for char in text::shortened(&visible(value), CELL).chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' | '$' => out.extend(['\\', char]),
            _ => out.push(char),
        }
    }
    out
}

/// The same between the tags of an HTML element.
fn html(value: Option<String>) -> String {
    text::shortened(&visible(value), CELL)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
}
