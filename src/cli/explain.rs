//! `conform explain`: finds a rule, clause, scenario, fault or dialect by its id and prints its page.

mod page;

use super::args::DialectArgs;
use super::catalogue::{self, KnownDialect, ScenarioChoice};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::{describe, output};
use crate::project_config::read_config;
use conform_judge::dialect::{Clause, DialectSource};
use conform_judge::rules::rule::Rule;
use conform_report::causes::is_cause_of;
use conform_runner::scenario::Scenario;
use conform_runner::step_rules::{self, StepRule};
use frame_faults::Fault;
use serde_json::Value;
use spanned_yaml::unknown;
use std::io::Write;

/// Explain a rule, a clause, a scenario, a fault or a dialect
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Its id, as findings, causes and `conform list` show it; the name of the dialect before it may be left out. Of a cause, the rule is
    /// explained
    ///
    /// Without --dialect it is searched in the dialect of `conform.yaml`, then in the newest version of every dialect.
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    dialect: DialectArgs,
    /// As a JSON object
    #[arg(long)]
    json: bool,
}

/// The object that an id names.
enum Topic<'a> {
    Dialect,
    Rule(&'a Rule),
    Clause(&'a str, &'a Clause),
    Scenario(&'a Scenario),
    Fault(&'a Fault),
    Step(&'static StepRule),
}

pub(super) fn run(args: ExplainArgs) -> Result<ExitStatus, CommandError> {
    let text = explain(&args)?;
    let written = output::stdout().write_all(text.as_bytes());
    output::status(written.map(|()| ExitStatus::Conformant))
}

/// The page of an id: from the dialect of the command line, else of `conform.yaml`, else from all: first from those that the id names,
/// and from the newest version of each.
fn explain(args: &ExplainArgs) -> Result<String, CommandError> {
    let config = read_config()?;
    let dialect_dir = args.dialect.dialect_dir.clone().or(config.dialect_dir);
    let mut searched = Vec::new();
    if args.dialect.dialect.is_none()
        && let Some(id) = &config.dialect
    {
        let source = DialectSource::new(dialect_dir.clone());
        let choice = ScenarioChoice {
            own: &config.scenarios,
            tools: Some(&config.tools),
            ..ScenarioChoice::default()
        };
        let own = catalogue::one(&source, id, choice)?;
        if let Some(topic) = find(&own, &args.id) {
            return Ok(show(args, &own, &topic));
        }
        searched.push(own);
    }
    let dialects = DialectArgs {
        dialect: args.dialect.dialect.clone(),
        dialect_dir,
    };
    let mut order = catalogue::ids(&dialects);
    order.sort_by_key(|dialect| names(&args.id, dialect));
    for dialect in order.iter().rev() {
        let known = catalogue::by_id(&dialects, dialect)?;
        if let Some(topic) = find(&known, &args.id) {
            return Ok(show(args, &known, &topic));
        }
        searched.push(known);
    }
    let ids = ids(&searched);
    let unknown = unknown("id", &args.id, ids.iter().map(String::as_str));
    Err(unknown.into())
}

/// Whether the id of a rule, a clause or a scenario begins with the name of this dialect.
fn names(id: &str, dialect: &str) -> bool {
    let name = dialect.split('@').next().unwrap_or(dialect);
    let rest = id.strip_prefix(name);
    rest.is_some_and(|rest| rest.starts_with(['/', '.', '@']))
}

fn show(args: &ExplainArgs, known: &KnownDialect, topic: &Topic<'_>) -> String {
    if args.json {
        format!("{:#}\n", json(known, topic))
    } else {
        page::page(known, topic)
    }
}

fn find<'a>(known: &'a KnownDialect, id: &str) -> Option<Topic<'a>> {
    let dialect = &known.dialect;
    let with_dialect = format!("{}/{id}", dialect.name);
    if dialect.id() == id || dialect.name == id {
        return Some(Topic::Dialect);
    }
    if let Some(rule) = dialect.rule(id).or_else(|| dialect.rule(&with_dialect)) {
        return Some(Topic::Rule(rule));
    }
    if let Some((id, clause)) = dialect.clauses.get_key_value(id) {
        return Some(Topic::Clause(id, clause));
    }
    let mut scenarios = known.scenarios.iter();
    let scenario =
        scenarios.find(|scenario| scenario.id == id || known.scenario_id(scenario) == id);
    let fault = || {
        let mut faults = known.faults.iter().chain(&known.variants);
        faults.find(|fault| fault.id == id).map(Topic::Fault)
    };
    let step = || {
        let mut steps = step_rules::RULES.iter();
        steps.find(|rule| rule.id == id).map(Topic::Step)
    };
    let of_cause = || {
        let mut rules = dialect.rules.iter();
        let rule = rules.find(|rule| is_cause_of(id, &rule.id));
        let mut steps = step_rules::RULES.iter();
        let step = steps.find(|rule| is_cause_of(id, rule.id));
        rule.map(Topic::Rule).or_else(|| step.map(Topic::Step))
    };
    let found = scenario.map(Topic::Scenario).or_else(fault);
    found.or_else(step).or_else(of_cause)
}

fn json(known: &KnownDialect, found: &Topic) -> Value {
    match found {
        Topic::Dialect => describe::dialect(known),
        Topic::Rule(rule) => describe::rule(known, rule),
        Topic::Clause(id, clause) => describe::clause(known, id, clause),
        Topic::Scenario(scenario) => describe::scenario(known, scenario),
        Topic::Fault(fault) if fault.legal.is_some() => describe::variant(known, fault),
        Topic::Fault(fault) => describe::fault(known, fault),
        Topic::Step(rule) => describe::step_rule(rule),
    }
}

fn ids(known: &[KnownDialect]) -> Vec<String> {
    let steps = step_rules::RULES.iter();
    let mut ids: Vec<_> = steps.map(|rule| rule.id.to_owned()).collect();
    for known in known {
        ids.push(known.dialect.id());
        ids.extend(known.dialect.rules.iter().map(|rule| rule.id.clone()));
        ids.extend(known.dialect.clauses.keys().cloned());
        let scenarios = known.scenarios.iter();
        ids.extend(scenarios.flat_map(|one| [known.scenario_id(one), one.id.clone()]));
        let faults = known.faults.iter().chain(&known.variants);
        ids.extend(faults.map(|fault| fault.id.clone()));
    }
    ids
}
