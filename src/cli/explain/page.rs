//! Renders the page of `conform explain` as text.

use super::Topic;
use crate::cli::catalogue::KnownDialect;
use crate::cli::list::word;
use anstyle::Style;
use conform_judge::dialect::Clause;
use conform_judge::rules::rule::Rule;
use conform_report::reporter::text::wrap;
use conform_runner::scenario::Scenario;
use conform_runner::step_rules::StepRule;
use frame_faults::Fault;
use std::iter;

const BOLD: Style = Style::new().bold();
const WIDTH: usize = 100;

pub(super) fn page(known: &KnownDialect, found: &Topic) -> String {
    match found {
        Topic::Dialect => dialect(known),
        Topic::Rule(rule) => self::rule(known, rule),
        Topic::Clause(id, clause) => self::clause(known, id, clause),
        Topic::Scenario(scenario) => self::scenario(known, scenario),
        Topic::Fault(fault) => self::fault(known, fault),
        Topic::Step(rule) => step(rule),
    }
}

fn step(rule: &StepRule) -> String {
    let mut page = title(
        "rule",
        rule.id,
        "a check of scenario steps, at the level of the scenario",
    );
    paragraphs(&mut page, rule.doc);
    page
}

fn dialect(known: &KnownDialect) -> String {
    let dialect = &known.dialect;
    let mut page = title("dialect", &dialect.id(), &dialect.title);
    list(&mut page, "Events", dialect.events.all());
    list(&mut page, "Commands", dialect.commands.all());
    list(
        &mut page,
        "Capabilities an agent may announce",
        dialect.capabilities.keys().cloned(),
    );
    let counts = [
        (dialect.clauses.len(), "clauses"),
        (dialect.rules.len(), "rules"),
        (known.scenarios.len(), "scenarios"),
    ];
    for (count, what) in counts {
        page += &format!(
            "{count} {what}: conform list {what} --dialect {}\n",
            dialect.id()
        );
    }
    page
}

fn rule(known: &KnownDialect, rule: &Rule) -> String {
    let readings = rule.readings();
    let kind = if readings.is_empty() {
        format!("{}, source {}", word(rule.level), word(rule.source))
    } else {
        "records how the agent reads an open point of the specification; never a finding".to_owned()
    };
    let mut page = title("rule", &rule.id, &format!("{kind}, {}", known.dialect.id()));
    paragraphs(&mut page, &rule.doc);
    list(
        &mut page,
        "Accepted readings; a report says which of them the agent follows",
        readings.into_iter().map(str::to_owned),
    );
    list(
        &mut page,
        "The rule in `ordering.yaml`",
        rule.written.lines().map(str::to_owned),
    );
    clauses(&mut page, known, &rule.clauses);
    let scenarios = known
        .scenarios
        .iter()
        .filter(|scenario| scenario.clauses.iter().any(|id| rule.clauses.contains(id)));
    list(
        &mut page,
        "Scenarios about these clauses",
        scenarios.map(|scenario| known.scenario_id(scenario)),
    );
    faults(
        &mut page,
        "Faults that it must catch",
        known,
        std::slice::from_ref(&rule.id),
    );
    page
}

fn fault(known: &KnownDialect, fault: &Fault) -> String {
    let what = if fault.legal.is_some() {
        "legal variant"
    } else {
        "fault"
    };
    let mut page = title(what, &fault.id, &known.dialect.name);
    paragraphs(&mut page, &format!("{}.", fault.summary));
    let accepts = fault.legal.iter().filter_map(|legal| legal.accepts.clone());
    list(&mut page, "The interpretation that allows it", accepts);
    list(
        &mut page,
        "Caught by any of",
        known.catchers(fault).into_iter(),
    );
    let play = format!("conform agent --fault {} ARGS", fault.id);
    list(
        &mut page,
        "Play it, with the arguments of the real agent",
        iter::once(play),
    );
    page
}

/// Faults that any of these must catch, each with what goes wrong.
fn faults(page: &mut String, head: &str, known: &KnownDialect, catchers: &[String]) {
    let caught = |fault: &Fault| {
        known
            .catchers(fault)
            .iter()
            .any(|catcher| catchers.contains(catcher))
    };
    list(
        page,
        head,
        known
            .faults
            .iter()
            .filter(|fault| caught(fault))
            .map(|fault| format!("{}: {}", fault.id, fault.summary)),
    );
}

fn clause(known: &KnownDialect, id: &str, clause: &Clause) -> String {
    let side = clause.side.word();
    let what = format!(
        "section {}, {}, binds the {side}, {}",
        clause.section,
        word(clause.strength),
        known.dialect.id()
    );
    let mut page = title("clause", id, &what);
    paragraphs(&mut page, &clause.text);
    if let Some(why) = &clause.untestable {
        paragraphs(&mut page, &format!("No check can exist: {why}"));
    }
    let rules: Vec<_> = known.rules_for(id).map(|rule| rule.id.clone()).collect();
    let scenarios = known.scenarios_for(id);
    let scenarios: Vec<_> = scenarios.map(|one| known.scenario_id(one)).collect();
    list(&mut page, "Checked by the rules", rules.iter().cloned());
    list(
        &mut page,
        "Checked by the scenarios",
        scenarios.iter().cloned(),
    );
    let checks = [rules, scenarios].concat();
    faults(&mut page, "Faults that these must catch", known, &checks);
    page
}

fn scenario(known: &KnownDialect, scenario: &Scenario) -> String {
    let mut page = title("scenario", &known.scenario_id(scenario), &scenario.name);
    clauses(&mut page, known, &scenario.clauses);
    list(&mut page, "Tags", scenario.tags.iter().cloned());
    list(
        &mut page,
        "Needs an agent that announces",
        scenario.needs.iter().cloned(),
    );
    faults(
        &mut page,
        "Faults that its steps must catch",
        known,
        &[known.scenario_id(scenario)],
    );
    if let Some(file) = known
        .files
        .files()
        .iter()
        .find(|file| file.id == scenario.id)
    {
        page += &format!(
            "{BOLD}{}{BOLD:#}\n{}",
            file.path.display(),
            indent(&file.text)
        );
    }
    page
}

fn title(kind: &str, id: &str, what: &str) -> String {
    format!("{kind} {BOLD}{id}{BOLD:#}\n{what}\n\n")
}

/// Wraps paragraphs. One with aligned or indented lines, such as an example, is kept as it is.
fn paragraphs(page: &mut String, text: &str) {
    for paragraph in text.trim().split("\n\n") {
        let laid_out = paragraph
            .lines()
            .any(|line| line.starts_with(' ') || line.trim_end().contains("  "));
        let lines = if laid_out {
            paragraph.trim_end().to_owned()
        } else {
            wrap(paragraph, WIDTH).join("\n")
        };
        *page += &format!("{lines}\n\n");
    }
}

fn clauses(page: &mut String, known: &KnownDialect, ids: &[String]) {
    let quoted = ids.iter().map(|id| match known.dialect.clauses.get(id) {
        Some(clause) => {
            let head = format!(
                "{id} (section {}, {})",
                clause.section,
                word(clause.strength)
            );
            format!(
                "{head}\n{}",
                indent(&wrap(&clause.text, WIDTH - 4).join("\n")).trim_end()
            )
        }
        None => id.clone(),
    });
    list(page, "Clauses", quoted);
}

fn list(page: &mut String, head: &str, items: impl Iterator<Item = String>) {
    let lines: String = items.map(|item| indent(&item)).collect();
    if !lines.is_empty() {
        *page += &format!("{BOLD}{head}{BOLD:#}\n{lines}\n");
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
