//! Dialects, scenarios, rules, clauses, faults and variants as JSON, for `conform list --json` and `conform explain --json`.

use super::catalogue::KnownDialect;
use conform_judge::dialect::{Clause, Dialect};
use conform_judge::rules::rule::Rule;
use conform_runner::scenario::Scenario;
use conform_runner::step_rules::StepRule;
use frame_faults::Fault;
use serde_json::{Value, json};

pub(super) fn dialect(known: &KnownDialect) -> Value {
    let Dialect {
        title,
        events,
        commands,
        clauses,
        rules,
        bases,
        ..
    } = &*known.dialect;
    json!({
        "id": known.dialect.id(),
        "title": title,
        "extends": bases.first().map(|base| &base.id),
        "events": events.all().collect::<Vec<_>>(),
        "commands": commands.all().collect::<Vec<_>>(),
        "clauses": clauses.len(),
        "rules": rules.len(),
        "scenarios": known.scenarios.len(),
    })
}

pub(super) fn scenario(known: &KnownDialect, scenario: &Scenario) -> Value {
    json!({
        "id": known.scenario_id(scenario),
        "name": scenario.name,
        "clauses": scenario.clauses,
        "tags": scenario.tags,
        "needs": scenario.needs,
        "path": scenario.path,
    })
}

pub(super) fn rule(known: &KnownDialect, rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "dialect": known.dialect.id(),
        "level": rule.level,
        "source": rule.source,
        "clauses": rule.clauses,
        "doc": rule.doc,
        "written": rule.written,
        "readings": rule.readings(),
        "faults": known.caught_by(&rule.id).map(|fault| &fault.id).collect::<Vec<_>>(),
    })
}

pub(super) fn clause(known: &KnownDialect, id: &str, clause: &Clause) -> Value {
    json!({
        "id": id,
        "dialect": known.dialect.id(),
        "section": clause.section,
        "strength": clause.strength,
        "side": clause.side.word(),
        "text": clause.text,
        "testable": clause.untestable.is_none(),
        "untestable": clause.untestable,
        "rules": known.rules_for(id).map(|rule| &rule.id).collect::<Vec<_>>(),
        "scenarios": known.scenarios_for(id).map(|scenario| known.scenario_id(scenario)).collect::<Vec<_>>(),
    })
}

pub(super) fn fault(known: &KnownDialect, fault: &Fault) -> Value {
    json!({
        "id": fault.id,
        "dialect": known.dialect.name,
        "summary": fault.summary,
        "caught_by": known.catchers(fault),
    })
}

pub(super) fn variant(known: &KnownDialect, variant: &Fault) -> Value {
    let legal = variant.legal.clone().unwrap_or_default();
    json!({
        "id": variant.id,
        "dialect": known.dialect.name,
        "summary": variant.summary,
        "accepts": legal.accepts,
        "listed": legal.listed,
    })
}

pub(super) fn step_rule(rule: &StepRule) -> Value {
    json!({ "id": rule.id, "doc": rule.doc })
}
