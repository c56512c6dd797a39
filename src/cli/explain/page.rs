//! Renders the page of `conform explain` as text.

use super::Topic;
use crate::cli::catalogue::KnownDialect;
use crate::cli::list::word;
use anstyle::Style;
use conform_judge::dialect::Clause;
use conform_judge::rules::rule::Rule;
use conform_report::reporter::text::wrap;
use conform_runner::scenario::Scenario;
use frame_faults::Fault;

const BOLD: Style = Style::new().bold();
const WIDTH: usize = 100;

pub(super) fn page(known: &KnownDialect, found: &Topic) -> String {
    match found {
        Topic::Dialect => dialect(known),
        Topic::Rule(rule) => self::rule(known, rule),
        Topic::Clause(id, clause) => self::clause(known, id, clause),
        Topic::Scenario(scenario) => self::scenario(known, scenario),
        Topic::Fault(fault) => self::fault(known, fault),
        Topic::Step(rule) => {
            let what = "a check of scenario steps, at the level of the scenario";
            let mut page = Page::new("rule", rule.id, what);
            page.paragraphs(rule.doc);
            page
        }
    }
    .0
}

fn dialect(known: &KnownDialect) -> Page {
    let dialect = &known.dialect;
    let mut page = Page::new("dialect", &dialect.id(), &dialect.title);
    page.list("Events", dialect.events.all());
    page.list("Commands", dialect.commands.all());
    let capabilities = dialect.capabilities.keys();
    page.list("Capabilities an agent may announce", capabilities);
    for (count, what) in [
        (dialect.clauses.len(), "clauses"),
        (dialect.rules.len(), "rules"),
        (known.scenarios.len(), "scenarios"),
    ] {
        let command = format!("conform list {what} --dialect {}", dialect.id());
        page.0 += &format!("{count} {what}: {command}\n");
    }
    page
}

fn rule(known: &KnownDialect, rule: &Rule) -> Page {
    let readings = rule.readings();
    let kind = if readings.is_empty() {
        format!("{}, source {}", word(rule.level), word(rule.source))
    } else {
        "records how the agent reads an open point of the specification; never a finding".to_owned()
    };
    let mut page = Page::new("rule", &rule.id, &format!("{kind}, {}", known.dialect.id()));
    page.paragraphs(&rule.doc);
    let head = "Accepted readings; a report says which of them the agent follows";
    page.list(head, readings);
    page.list("The rule in `ordering.yaml`", rule.written.lines());
    page.clauses(known, &rule.clauses);
    let is_about_them =
        |scenario: &&Scenario| scenario.clauses.iter().any(|id| rule.clauses.contains(id));
    let scenarios = known.scenarios.iter().filter(is_about_them);
    let ids = scenarios.map(|scenario| known.scenario_id(scenario));
    page.list("Scenarios about these clauses", ids);
    let caught = std::slice::from_ref(&rule.id);
    page.faults("Faults that it must catch", known, caught);
    page
}

fn fault(known: &KnownDialect, fault: &Fault) -> Page {
    let what = if fault.legal.is_some() {
        "legal variant"
    } else {
        "fault"
    };
    let mut page = Page::new(what, &fault.id, &known.dialect.name);
    page.paragraphs(&format!("{}.", fault.summary));
    let accepts = fault
        .legal
        .iter()
        .filter_map(|legal| legal.accepts.as_ref());
    page.list("The interpretation that allows it", accepts);
    page.list("Caught by any of", known.catchers(fault));
    let play = format!("conform agent --fault {} ARGS", fault.id);
    page.list("Play it, with the arguments of the real agent", [play]);
    page
}

fn clause(known: &KnownDialect, id: &str, clause: &Clause) -> Page {
    let (side, section, strength) = (clause.side.word(), &clause.section, word(clause.strength));
    let dialect = known.dialect.id();
    let what = format!("section {section}, {strength}, binds the {side}, {dialect}");
    let mut page = Page::new("clause", id, &what);
    page.paragraphs(&clause.text);
    if let Some(why) = &clause.untestable {
        page.paragraphs(&format!("No check can exist: {why}"));
    }
    let rules: Vec<_> = known.rules_for(id).map(|rule| rule.id.clone()).collect();
    let scenarios = known.scenarios_for(id).map(|one| known.scenario_id(one));
    let scenarios: Vec<_> = scenarios.collect();
    page.list("Checked by the rules", &rules);
    page.list("Checked by the scenarios", &scenarios);
    let checks = [rules, scenarios].concat();
    page.faults("Faults that these must catch", known, &checks);
    page
}

fn scenario(known: &KnownDialect, scenario: &Scenario) -> Page {
    let id = known.scenario_id(scenario);
    let mut page = Page::new("scenario", &id, &scenario.name);
    page.clauses(known, &scenario.clauses);
    page.list("Tags", &scenario.tags);
    page.list("Needs an agent that announces", &scenario.needs);
    page.faults("Faults that its steps must catch", known, &[id]);
    let mut files = known.files.files().iter();
    if let Some(file) = files.find(|file| file.id == scenario.id) {
        let (path, text) = (file.path.display(), indent(&file.text));
        page.0 += &format!("{BOLD}{path}{BOLD:#}\n{text}");
    }
    page
}

/// A page under construction.
struct Page(String);

impl Page {
    fn new(kind: &str, id: &str, what: &str) -> Self {
        Page(format!("{kind} {BOLD}{id}{BOLD:#}\n{what}\n\n"))
    }

    /// Wraps paragraphs. One with aligned or indented lines, such as an example, is kept as it is.
    fn paragraphs(&mut self, text: &str) {
        for paragraph in text.trim().split("\n\n") {
            let mut lines = paragraph.lines();
            let is_laid_out =
                lines.any(|line| line.starts_with(' ') || line.trim_end().contains("  "));
            let lines = if is_laid_out {
                paragraph.trim_end().to_owned()
            } else {
                wrap(paragraph, WIDTH).join("\n")
            };
            self.0 += &format!("{lines}\n\n");
        }
    }

    fn clauses(&mut self, known: &KnownDialect, ids: &[String]) {
        let quoted = ids.iter().map(|id| match known.dialect.clauses.get(id) {
            Some(clause) => {
                let (section, strength) = (&clause.section, word(clause.strength));
                let text = indent(&wrap(&clause.text, WIDTH - 4).join("\n"));
                let text = text.trim_end();
                format!("{id} (section {section}, {strength})\n{text}")
            }
            None => id.clone(),
        });
        self.list("Clauses", quoted);
    }

    /// Faults that any of these must catch, each with its summary.
    fn faults(&mut self, head: &str, known: &KnownDialect, catchers: &[String]) {
        let is_caught = |fault: &&Fault| {
            let mut own = known.catchers(fault).into_iter();
            own.any(|catcher| catchers.contains(&catcher))
        };
        let caught = known.faults.iter().filter(is_caught);
        let lines = caught.map(|fault| format!("{}: {}", fault.id, fault.summary));
        self.list(head, lines);
    }

    fn list(&mut self, head: &str, items: impl IntoIterator<Item = impl AsRef<str>>) {
        let items = items.into_iter();
        let lines: String = items.map(|item| indent(item.as_ref())).collect();
        if !lines.is_empty() {
            self.0 += &format!("{BOLD}{head}{BOLD:#}\n{lines}\n");
        }
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
