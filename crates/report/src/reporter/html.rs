//! The HTML page for people: one file without external resources. It embeds the reports as JSON; the script of the page makes the rows
//! when they are opened, so that large reports stay quick.

use super::{template, text};
use crate::{
    Cause, ClauseResult, Comparison, Group, NamedReport, Report, ScenarioReport, clause_results,
    compare,
};
use conform_judge::finding::{Evidence, Expected};
use indexmap::IndexMap;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, context};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

/// The script of the page, in the order in which its parts use each other.
const SCRIPT: [&str; 7] = [
    include_str!("../../templates/page/dom.js"),
    include_str!("../../templates/page/model.js"),
    include_str!("../../templates/page/sequence.js"),
    include_str!("../../templates/page/rows.js"),
    include_str!("../../templates/page/views.js"),
    include_str!("../../templates/page/header.js"),
    include_str!("../../templates/page/app.js"),
];
const STYLE: &str = include_str!("../../templates/page/style.css");
const PAGE: &str = include_str!("../../templates/page/page.html");

/// The data that the script reads.
#[derive(Serialize)]
struct PageData<'a> {
    agents: Vec<AgentData<'a>>,
    /// The scenarios by folder; empty for one agent.
    groups: Vec<Group>,
}

#[derive(Serialize)]
struct AgentData<'a> {
    /// Its name; empty for one agent.
    name: &'a str,
    report: Report,
    clauses: IndexMap<String, ClauseResult>,
    /// The number of skipped scenarios, by reason.
    skipped: IndexMap<String, usize>,
}

/// The page of one report.
pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let data = PageData {
        agents: vec![agent("", report, IndexMap::new())],
        groups: Vec::new(),
    };
    write_page(&heading(report), &data, out)
}

/// The page of several agents side by side.
pub(super) fn compared(reports: &[NamedReport], out: &mut dyn Write) -> io::Result<()> {
    let Comparison { agents, groups, .. } = compare(reports);
    let names: Vec<_> = reports.iter().map(|one| one.name.as_str()).collect();
    let title = format!("{} side by side", names.join(", "));
    let skipped = agents.into_iter().map(|agent| agent.skipped);
    let data = PageData {
        agents: reports
            .iter()
            .zip(skipped)
            .map(|(one, skipped)| agent(&one.name, &one.report, skipped))
            .collect(),
        groups,
    };
    write_page(&title, &data, out)
}

fn agent<'a>(name: &'a str, report: &'a Report, skipped: IndexMap<String, usize>) -> AgentData<'a> {
    AgentData {
        name,
        report: for_the_page(report),
        clauses: clause_results(report),
        skipped,
    }
}

/// The report with expectations in words, which the script shows unchanged, and each frame of a scenario once.
fn for_the_page(report: &Report) -> Report {
    let mut report = report.clone();
    report.scenarios.iter_mut().for_each(quote_frames_once);
    let scenarios = report.scenarios.iter_mut();
    let findings = scenarios.flat_map(ScenarioReport::all_findings_mut);
    let of_findings = findings.map(|finding| &mut finding.expected);
    let of_causes = report
        .causes
        .iter_mut()
        .chain(&mut report.inconclusive)
        .map(|cause| &mut cause.example.expected);
    for expected in of_findings.chain(of_causes).flatten() {
        *expected = Expected::Words(expected.to_string());
    }
    report
}

/// Leaves frames out of the evidence that the excerpt of the scenario has: the script shows both in one diagram. The evidence of another
/// session, which numbers other frames alike, stays whole.
fn quote_frames_once(scenario: &mut ScenarioReport) {
    let excerpt: HashMap<u64, &Evidence> = scenario
        .excerpt
        .iter()
        .map(|frame| (frame.frame, frame))
        .collect();
    for finding in &mut scenario.findings {
        let same_session = finding.evidence.iter().all(|frame| {
            let other = excerpt.get(&frame.frame);
            other.is_none_or(|other| other.micros == frame.micros && other.dir == frame.dir)
        });
        if same_session {
            finding
                .evidence
                .retain(|frame| frame.here || excerpt.get(&frame.frame) != Some(&frame));
        }
    }
}

/// The dialects and the command line.
fn heading(report: &Report) -> String {
    let dialects = if report.dialect.is_empty() {
        "no dialect".to_owned()
    } else {
        report.dialect.join(", ")
    };
    let subject = if report.agent.is_empty() {
        "recorded sessions".to_owned()
    } else {
        text::visible(&report.agent.join(" "))
    };
    format!("{dialects}: {subject}")
}

fn write_page(title: &str, data: &PageData<'_>, out: &mut dyn Write) -> io::Result<()> {
    // What a browser without JavaScript shows.
    let plain = data.agents.iter().map(|agent| {
        let heading = match agent.name {
            "" => "Result".to_owned(),
            name => text::visible(name),
        };
        let causes: Value = agent.report.causes.iter().map(plain_cause).collect();
        context! { heading, summary => Serde(&agent.report.summary), causes }
    });
    let first = &data.agents[0].report.tool;
    let view = context! {
        title,
        tool => format!("{} {}", first.name, first.version),
        agents => plain.collect::<Value>(),
        style => STYLE,
        script => SCRIPT.join("\n"),
        data => script_safe(&serde_json::to_string(data)?),
    };
    template::fill(PAGE, AutoEscape::Html, view, out)
}

fn plain_cause(cause: &Cause) -> String {
    let scenarios = text::count(cause.scenarios.len() as u64, "scenario");
    let (level, message) = (cause.level.word(), text::visible(&cause.message));
    format!("{level} {}: {message} ({scenarios})", cause.rule)
}

/// JSON that cannot end the script element around it: every `<` is in a string, where it can be escaped.
fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}
