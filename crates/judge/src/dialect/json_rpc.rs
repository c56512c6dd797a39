//! The vocabulary and the rules of a dialect whose messages are named by their structure.

use super::lint::unknown_clause;
use crate::finding::Source;
use crate::rules::monitor::MonitorConfig;
use crate::rules::rule::{Rule, RuleForm};
use conform_dialect::file::{DialectFile, FrameSpec, JsonRpcFile};
use conform_dialect::json_rpc::{JsonRpc, StructureRule};
use conform_dialect::{Clause, FrameNames};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, Span, Spanned, escape_step};

/// The names of events and commands. The methods that both sides have must say so, because most of them are mistakes.
pub(super) fn vocabulary_of(
    events: IndexMap<String, FrameSpec>,
    commands: IndexMap<String, FrameSpec>,
    json_rpc: &JsonRpc,
    root: &Node,
    errors: &mut Vec<Error>,
) -> (FrameNames, FrameNames) {
    for (name, spec) in &events {
        let of_host = commands.get(name);
        let is_allowed = spec.both_sides || of_host.is_some_and(|spec| spec.both_sides);
        if of_host.is_some() && !is_allowed {
            let at = format!("/events/{}", escape_step(name));
            let message = format!(
                "`{name}` is a method of both sides: remove it from `events` or from `commands`, or write `{name}: {{ both_sides: true }}`"
            );
            errors.push(root.nearest(&at).error(message));
        }
    }
    for (number, name) in json_rpc.at_once.iter().enumerate() {
        let specs = [events.get(name), commands.get(name)];
        if !specs.into_iter().flatten().any(|spec| !spec.notification) {
            let message = format!(
                "`{name}` is a request of neither side: name one of `events` or `commands`"
            );
            errors.push(
                root.nearest(&format!("/json_rpc/at_once/{number}"))
                    .error(message),
            );
        }
    }
    let is_optional = json_rpc.is_version_optional;
    (
        FrameNames::by_structure(events.clone(), &commands, is_optional),
        FrameNames::by_structure(commands, &events, is_optional),
    )
}

/// Reports the keys of a dialect that go with the other way of naming frames.
pub(super) fn misplaced_keys(file: &DialectFile, root: &Node) -> Vec<Error> {
    let by_structure = file.naming.is_some();
    let mut errors = Vec::new();
    let mut say = |at: &str, message: &str| errors.push(root.nearest(at).error(message));
    if by_structure && file.discriminator.is_some() {
        let message =
            "frames are named by `naming: json-rpc` or by `discriminator`: remove one of the two";
        say("/discriminator", message);
    }
    if !by_structure && file.json_rpc.is_some() {
        let message = "`json_rpc` goes with `naming: json-rpc`: write that too, or remove it";
        say("/json_rpc", message);
    }
    if !by_structure && file.published.file.is_some() {
        let message = "`published` goes with `naming: json-rpc`: write that too, or remove it";
        say("/published", message);
    }
    if !by_structure && file.client.is_some() {
        let message = "`client` goes with `naming: json-rpc`: write that too, or remove it";
        say("/client", message);
    }
    let events = file.events.iter().map(|one| ("events", one));
    let commands = file.commands.iter().map(|one| ("commands", one));
    for (side, (name, spec)) in events.chain(commands) {
        let is_misplaced = |spec: &FrameSpec| spec.notification || spec.both_sides;
        if !by_structure && spec.as_ref().is_some_and(is_misplaced) {
            let message = "`notification` and `both_sides` go with `naming: json-rpc`: write that too, or remove them";
            say(&format!("/{side}/{}", escape_step(name)), message);
        }
    }
    errors
}

/// The built-in rules, with the clauses that the dialect gives them.
pub(super) fn structure_rules(
    dialect: &str,
    file: &JsonRpcFile,
    clauses: &IndexMap<String, Clause>,
    root: &Node,
    errors: &mut Vec<Error>,
) -> Vec<Rule> {
    let rule = |rule: StructureRule| {
        let cited = file.clauses.get(&rule).into_iter().flatten();
        let unmatched = cited.clone().filter(|id| !clauses.contains_key(&id.value));
        let mistake =
            |id: &Spanned<String>| root.error_at(id.span, unknown_clause(&id.value, clauses));
        errors.extend(unmatched.map(mistake));
        let strengths = cited.clone().filter_map(|id| clauses.get(&id.value));
        Rule {
            id: format!("{dialect}/json-rpc/{}", rule.name()),
            span: Span::default(),
            level: strengths
                .map(|clause| clause.strength)
                .max()
                .unwrap_or_default(),
            source: Source::Spec,
            clauses: cited.map(|id| id.value.clone()).collect(),
            doc: rule.doc().to_owned(),
            explains: Vec::new(),
            written: String::new(),
            config: MonitorConfig::default(),
            form: RuleForm::Structure(rule),
        }
    };
    StructureRule::all().map(rule).collect()
}
