//! Dialect linter: refuses rules that are unsound (race conditions), can never fail, or cite clauses that do not exist.

use crate::finding::Level;
use crate::rules::automaton::{Automaton, START, positions};
use crate::rules::frame_pattern::{Atom, FramePattern};
use crate::rules::history_state::Declarations;
use crate::rules::monitor::MonitorConfig;
use crate::rules::response::ResponseRule;
use crate::rules::rule::{FILES, REQUESTS, Rule, RuleForm};
use crate::rules::symbol::Symbols;
use crate::rules::variable_spec::{Change, DeclaredChange};
use crate::schema::Schemas;
use conform_dialect::Clause;
use conform_dialect::ordering::Ordering;
use conform_dialect::ordering::file::AtEnd;
use frame_language::{Compare, Condition, Operand};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, suggestion, unknown};
use std::path::Path;

/// The most states of an automaton that are examined; an expression with more is not linted.
const MOST_STATES: usize = 4096;

/// Mistakes in the rules themselves.
pub(super) fn rules(
    ordering: &Ordering,
    rules: &[Rule],
    declarations: &Declarations,
    symbols: &Symbols,
    root: &Node,
) -> Vec<Error> {
    let mut errors = Vec::new();
    for rule in rules {
        let place = place_of(rule, ordering, root);
        let mut say = |message: String| errors.push(place.error_at(rule.span, message));
        if rule.doc.is_empty() {
            say(
                "a rule needs a `doc`: what it requires, and why that matters to a host".to_owned(),
            );
        }
        match &rule.form {
            RuleForm::Order(order) => {
                if let Some(message) = races(&order.automaton, symbols) {
                    say(message);
                }
                if never_fails(&order.automaton, &order.alphabet) {
                    say("this order can never fail: it accepts every history".to_owned());
                }
            }
            RuleForm::Response(response) if never_due(response, &rule.config) => say(
                "this response can never be missing: give it a `before`, or leave out `at_end: never`"
                    .to_owned(),
            ),
            RuleForm::Require(require) if !only_commands(&require.on, symbols) => {
                if let Some(message) =
                    forbids_after_command(&require.that, true, &require.seen, declarations, symbols)
                {
                    say(message);
                }
            }
            _ => {}
        }
        if let Some(name) = rule
            .config
            .when
            .as_ref()
            .and_then(|when| silent_for_good(when, declarations))
        {
            say(format!(
                "`${name}` only ever grows: after its first change the guard never holds again, and the rule is silent for good. Give it a \
                 `clear`; if that is meant, make it a `flag` without `clear`"
            ));
        }
    }
    for (old, new) in &ordering.file.aliases {
        if !ordering.rules.contains_key(&new.value) {
            errors.push(root.error_at(
                new.span,
                format!("the alias `{old}` names a rule that does not exist"),
            ));
        }
    }
    let is_known = |name: &str| {
        [FILES, REQUESTS].contains(&name)
            || symbols.id(name).is_some()
            || ordering.rules.contains_key(name)
            || ordering.file.remove.iter().any(|gone| gone.value == name)
    };
    for source in ordering.rules.values() {
        for name in &source.file.explains {
            if !is_known(&name.value) {
                let rules = ordering.rules.keys().map(String::as_str);
                let message = unknown("rule", &name.value, rules.chain([FILES, REQUESTS]));
                errors.push(source.node.error_at(name.span, message));
            }
        }
    }
    errors
}

/// A value of the file that a rule is in.
fn place_of<'n>(rule: &Rule, ordering: &'n Ordering, root: &'n Node) -> &'n Node {
    let name = rule.id.split_once('/').map_or("", |(_, name)| name);
    ordering.rules.get(name).map_or(root, |source| &source.node)
}

/// Finds a race condition: an event that is allowed before a command but not after it may already be in the pipe when the command is
/// sent.
fn races(automaton: &Automaton, symbols: &Symbols) -> Option<String> {
    let is_command = |atom: &Atom| atom.include.intersects(&symbols.host);
    for state in automaton.reachable(MOST_STATES) {
        let followers = automaton.followers(state);
        let events = || positions(followers).filter(|p| !is_command(automaton.atom(*p)));
        for command in positions(followers).filter(|p| is_command(automaton.atom(*p))) {
            let same = |p: &usize| {
                automaton
                    .atom(*p)
                    .include
                    .intersects(&automaton.atom(command).include)
            };
            let next = positions(followers).filter(same).fold(0, |s, p| s | 1 << p);
            let after: Vec<_> = positions(automaton.followers(next))
                .map(|p| automaton.atom(p))
                .collect();
            for event in events() {
                let event = automaton.atom(event);
                let allowed = after.iter().any(|a| {
                    event.include.iter().all(|s| a.include.contains(s))
                        && (a.written.guards.is_empty() || a.written.source == event.written.source)
                });
                if !allowed {
                    return Some(format!(
                        "`{}` may come before `{}` and not after it, but it may already be in the pipe when the command is sent: \
                         allow it there too, or write the rule against the agent's own acknowledgement",
                        event.written.source,
                        automaton.atom(command).written.source
                    ));
                }
            }
        }
    }
    None
}

/// A variable that grows and is never cleared, which a guard requires to be empty.
fn silent_for_good<'d>(when: &Condition, declarations: &'d Declarations) -> Option<&'d str> {
    let var = match when {
        Condition::All(each) => {
            return each
                .iter()
                .find_map(|one| silent_for_good(one, declarations));
        }
        Condition::Empty(Operand::State(var)) => var,
        Condition::Compare {
            left: Operand::State(var),
            how: Compare::Equal,
            right: Operand::Literal(zero),
            ..
        } if *zero == 0 => var,
        _ => return None,
    };
    let spec = declarations.variables.get(*var)?;
    let shrinks = |change: &DeclaredChange| {
        matches!(
            change.change,
            Change::Clear | Change::Remove(_) | Change::Take(_) | Change::Set(_)
        )
    };
    let only_grows = !spec.changes.is_empty() && !spec.changes.iter().any(shrinks);
    only_grows.then_some(&spec.name)
}

fn only_commands(pattern: &FramePattern, symbols: &Symbols) -> bool {
    pattern
        .atoms()
        .iter()
        .all(|atom| atom.include.iter().all(|s| symbols.host.contains(s)))
}

/// Whether no history can violate the expression.
fn never_fails(automaton: &Automaton, alphabet: &FramePattern) -> bool {
    let mut relevant = automaton.symbols();
    relevant.extend(&alphabet.symbols());
    let states = automaton.reachable(MOST_STATES);
    states.len() < MOST_STATES
        && states.iter().all(|state| {
            automaton.accepts(*state)
                && relevant.iter().all(|symbol| {
                    positions(automaton.followers(*state)).any(|p| {
                        let atom = automaton.atom(p);
                        atom.include.contains(symbol)
                            && !atom.exclude.contains(symbol)
                            && atom.written.guards.is_empty()
                    })
                })
        })
        && automaton.accepts(START)
}

/// Whether no frame and no end of a session makes a missing response a finding.
fn never_due(response: &ResponseRule, config: &MonitorConfig) -> bool {
    response.at_end == AtEnd::Never
        && response.before.atoms().is_empty()
        && response.unless_within.is_none()
        && config.scopes.is_empty()
}

/// Finds a condition that forbids an event after a command: the event may already be in the pipe.
fn forbids_after_command(
    condition: &Condition,
    positive: bool,
    seen: &[FramePattern],
    declarations: &Declarations,
    symbols: &Symbols,
) -> Option<String> {
    const ADVICE: &str = "the event may already be in the pipe when the command is sent: write it against the agent's own acknowledgement, \
                          or give the state `acknowledged_by`";
    let set_by_commands = |operand: &Operand| match operand {
        Operand::State(var) => {
            let spec = declarations.variables.get(*var)?;
            (spec.from_commands && spec.acknowledged_by.is_none()).then(|| spec.name.clone())
        }
        _ => None,
    };
    let absent = match positive {
        true => Compare::NotIn,
        false => Compare::In,
    };
    match condition {
        Condition::All(each) | Condition::Any(each) => each
            .iter()
            .find_map(|c| forbids_after_command(c, positive, seen, declarations, symbols)),
        Condition::Not(inner) => {
            forbids_after_command(inner, !positive, seen, declarations, symbols)
        }
        Condition::Seen(n) if !positive && seen[*n].symbols().intersects(&symbols.host) => {
            Some(format!(
                "`{}` must not have come before this event, but {ADVICE}",
                seen[*n].sources().join(" | ")
            ))
        }
        Condition::Compare { how, right, .. } if *how == absent => {
            set_by_commands(right).map(|name| {
                format!("`${name}` is set by commands and must not contain this, but {ADVICE}")
            })
        }
        _ => None,
    }
}

pub(super) fn unknown_clause(id: &str, clauses: &IndexMap<String, Clause>) -> String {
    let hint = suggestion(id, clauses.keys().map(String::as_str));
    format!("the clause `{id}` is not in clauses.yaml{hint}")
}

/// Clauses that rules cite, but that do not exist.
pub(super) fn clause_ids(ordering: &Ordering, clauses: &IndexMap<String, Clause>) -> Vec<Error> {
    let rules = ordering.rules.values();
    let cited = rules.flat_map(|rule| rule.file.clauses.iter().map(move |cited| (rule, cited)));
    let unmatched = cited.filter(|(_, cited)| !clauses.contains_key(&cited.value));
    unmatched
        .map(|(rule, cited)| {
            let message = unknown_clause(&cited.value, clauses);
            rule.node.error_at(cited.span, message)
        })
        .collect()
}

/// Clauses that schema definitions cite, but that do not exist.
pub(super) fn schema_clauses(
    rules: &[Rule],
    clauses: &IndexMap<String, Clause>,
    path: &Path,
) -> Vec<Error> {
    let schemas = rules
        .iter()
        .filter(|r| matches!(r.form, RuleForm::Schema(_)));
    let cited = schemas.flat_map(|r| r.clauses.iter().map(move |c| (r, c)));
    let unmatched = cited.filter(|(_, c)| !clauses.contains_key(*c));
    let errors = unmatched.map(|(r, c)| {
        let RuleForm::Schema(name) = &r.form else {
            unreachable!("filtered above")
        };
        let file = if name.starts_with('>') {
            "commands.json"
        } else {
            "events.json"
        };
        Error::of_file(
            path.with_file_name(file),
            format!("in `{name}`: {}", unknown_clause(c, clauses)),
        )
    });
    errors.collect()
}

/// Rules with a weaker level than a clause that they cite.
pub(super) fn levels(
    rules: &[Rule],
    ordering: &Ordering,
    clauses: &IndexMap<String, Clause>,
    root: &Node,
) -> Vec<Error> {
    let mut errors = Vec::new();
    for rule in rules.iter().filter(|rule| rule.readings().is_empty()) {
        if let Some(id) = stronger(&rule.clauses, rule.level, clauses) {
            let message = format!(
                "the rule is `{}`, but the clause `{id}` is stronger: leave out `level`, or cite a clause of that level, or none with \
                 `source: host` or `source: hygiene`",
                rule.level.word()
            );
            errors.push(place_of(rule, ordering, root).error_at(rule.span, message));
        }
    }
    errors
}

/// Parts of schema definitions with a weaker level than a clause that they cite.
pub(super) fn marks(
    schemas: &Schemas,
    names: &[String],
    clauses: &IndexMap<String, Clause>,
    path: &Path,
) -> Vec<Error> {
    let mut errors = Vec::new();
    for name in names {
        for place in schemas.annotated_keywords(name) {
            if let Some(id) = stronger(&place.clauses, place.level, clauses) {
                let message = format!(
                    "in `{name}` at {}: `x-level` is `{}`, but the clause `{id}` is stronger: leave it out, or give this part \
                     `x-clauses` of that level",
                    place.at,
                    place.level.word()
                );
                errors.push(Error::of_file(path, message));
            }
        }
    }
    errors
}

/// The first of the clauses with a stronger level than this.
fn stronger<'i>(
    ids: &'i [String],
    level: Level,
    clauses: &IndexMap<String, Clause>,
) -> Option<&'i String> {
    let is_stronger = |id: &&String| clauses.get(*id).is_some_and(|c| c.strength > level);
    ids.iter().find(is_stronger)
}
