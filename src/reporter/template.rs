//! Reports from templates (`reports/templates/`): Markdown tables, and the comparison of several agents.

use super::text;
use crate::report::{NamedReport, Report, ScenarioReport, compare};
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use std::io::{self, Write};

/// The data that templates see.
#[derive(Serialize)]
struct View<'a> {
    report: &'a Report,
    scenarios: Vec<ScenarioView<'a>>,
}

/// One scenario, with the fields that every template needs.
#[derive(Serialize)]
struct ScenarioView<'a> {
    #[serde(flatten)]
    scenario: &'a ScenarioReport,
    /// Its result as one word.
    word: String,
    /// Whether it has details beyond the word.
    has_details: bool,
}

impl<'a> From<&'a ScenarioReport> for ScenarioView<'a> {
    fn from(scenario: &'a ScenarioReport) -> Self {
        let word = match scenario.flaky {
            true => "flaky",
            false => text::verdict(scenario.verdict),
        };
        let is_plain = scenario.findings.is_empty()
            && scenario.tries.is_empty()
            && scenario.stderr.is_empty()
            && scenario.reason.is_empty();
        ScenarioView {
            scenario,
            word: word.to_owned(),
            has_details: !is_plain,
        }
    }
}

/// Markdown tables for a pull request or the summary of a CI job.
pub(super) fn markdown(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../reports/templates/report.md");
    let view = View {
        report,
        scenarios: report.scenarios.iter().map(ScenarioView::from).collect(),
    };
    fill(source, AutoEscape::None, Serde(view), out)
}

/// The comparison of several agents, as Markdown.
pub(super) fn comparison(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../reports/templates/comparison.md");
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

/// The same for a cell of a Markdown table: markup is escaped.
fn cell(value: Option<String>) -> String {
    let mut out = String::new();
    for char in visible(value).chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => out.extend(['\\', char]),
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporter::sample;

    #[test]
    fn text_of_the_agent_is_escaped() {
        let mut report = sample::report();
        report.scenarios[0].id = "<script>|`*".into();
        report.scenarios[0].reason = "<b>".into();
        report.scenarios[0].findings.clear();
        let mut table = Vec::new();
        markdown(&report, &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        assert!(
            table.contains(r"| &lt;script>\|\`\* | | | | &lt;b> |"),
            "{table}"
        );
    }
}
