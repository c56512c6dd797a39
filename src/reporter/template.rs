//! Formats that are templates: `reports/templates/`.

use super::text;
use crate::report::Comparison;
use crate::report::{Report, ScenarioReport};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;
use std::io::{self, Write};

/// What templates see.
#[derive(Serialize)]
struct View<'a> {
    report: &'a Report,
    scenarios: Vec<Entry<'a>>,
}

/// One scenario, with what every template says of it.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    scenario: &'a ScenarioReport,
    /// The word for what it came to.
    word: String,
    /// Whether there is more to say than the word.
    told: bool,
}

impl<'a> From<&'a ScenarioReport> for Entry<'a> {
    fn from(scenario: &'a ScenarioReport) -> Self {
        let word = match scenario.flaky {
            true => "flaky",
            false => text::verdict(scenario.verdict),
        };
        let silent = scenario.findings.is_empty()
            && scenario.tries.is_empty()
            && scenario.stderr.is_empty()
            && scenario.reason.is_empty();
        Entry {
            scenario,
            word: word.to_owned(),
            told: !silent,
        }
    }
}

/// One page that needs no other file.
pub(super) fn html(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../reports/templates/report.html");
    render(source, AutoEscape::Html, report, out)
}

/// Tables for a pull request or a job's summary.
pub(super) fn markdown(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../reports/templates/report.md");
    render(source, AutoEscape::None, report, out)
}

/// Several agents side by side, as Markdown.
///
/// # Errors
/// It cannot be written.
pub fn comparison(page: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let source = include_str!("../../reports/templates/comparison.md");
    fill(source, AutoEscape::None, Serde(page), out)
}

fn render(
    source: &str,
    escape: AutoEscape,
    report: &Report,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = View {
        report,
        scenarios: report.scenarios.iter().map(Entry::from).collect(),
    };
    fill(source, escape, Serde(view), out)
}

fn fill<T: Serialize>(
    source: &str,
    escape: AutoEscape,
    view: Serde<T>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(move |_| escape.clone());
    templates.add_filter("visible", visible);
    templates.add_filter("cell", cell);
    templates.add_filter("code", |said: &str| text::visible(said).replace('`', "'"));
    templates.add_filter("class", |word: &str| word.replace(['_', ' '], "-"));
    templates.add_filter("who", |dir: &str| text::who(dir).to_owned());
    templates.add_filter("micros", text::micros);
    let page = templates
        .template_from_str(source)
        .map_err(io::Error::other)?;
    let rendered = page.render(view).map_err(io::Error::other)?;
    writeln!(out, "{rendered}")
}

/// What somebody said, if anything, on one line.
fn visible(said: Option<String>) -> String {
    text::visible(&said.unwrap_or_default())
}

/// The same inside a Markdown table: nothing in it is markup.
fn cell(said: Option<String>) -> String {
    let mut out = String::new();
    for char in visible(said).chars() {
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
    fn what_an_agent_wrote_is_no_markup() {
        let mut report = sample::report();
        report.scenarios[0].id = "<script>|`*".into();
        report.scenarios[0].reason = "<b>".into();
        report.scenarios[0].findings.clear();
        let mut page = Vec::new();
        html(&report, &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("&lt;script&gt;|`*") && !page.contains("<script>"));
        let mut table = Vec::new();
        markdown(&report, &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        assert!(
            table.contains(r"| &lt;script>\|\`\* | | | | &lt;b> |"),
            "{table}"
        );
    }
}
