//! The page about one thing, for people.

use super::Found;
use crate::cli::catalogue::Known;
use crate::cli::describe;
use crate::cli::list::word;
use crate::dialect::Clause;
use crate::reporter::text::wrap;
use crate::rules::rule::Rule;
use crate::scenario::Scenario;
use anstyle::Style;

const BOLD: Style = Style::new().bold();
const WIDTH: usize = 100;

pub(super) fn page(known: &Known, found: &Found) -> String {
    match found {
        Found::Dialect => dialect(known),
        Found::Rule(rule) => self::rule(known, rule),
        Found::Clause(id, clause) => self::clause(known, id, clause),
        Found::Scenario(scenario) => self::scenario(known, scenario),
    }
}

fn dialect(known: &Known) -> String {
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

fn rule(known: &Known, rule: &Rule) -> String {
    let what = format!(
        "{}, source {}, {}",
        word(rule.level),
        word(rule.source),
        known.dialect.id()
    );
    let mut page = title("rule", &rule.id, &what);
    paragraphs(&mut page, &rule.doc);
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
    page
}

fn clause(known: &Known, id: &str, clause: &Clause) -> String {
    let side = describe::side(clause.side);
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
    list(
        &mut page,
        "Checked by the rules",
        known.rules_for(id).map(|rule| rule.id.clone()),
    );
    list(
        &mut page,
        "Checked by the scenarios",
        known
            .scenarios_for(id)
            .map(|scenario| known.scenario_id(scenario)),
    );
    page
}

fn scenario(known: &Known, scenario: &Scenario) -> String {
    let mut page = title("scenario", &known.scenario_id(scenario), &scenario.name);
    clauses(&mut page, known, &scenario.clauses);
    list(&mut page, "Tags", scenario.tags.iter().cloned());
    list(
        &mut page,
        "Needs an agent that announces",
        scenario.needs.iter().cloned(),
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

fn paragraphs(page: &mut String, text: &str) {
    for paragraph in text.trim().split("\n\n") {
        *page += &format!("{}\n\n", wrap(paragraph, WIDTH).join("\n"));
    }
}

fn clauses(page: &mut String, known: &Known, ids: &[String]) {
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
