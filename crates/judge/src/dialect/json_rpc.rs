//! The vocabulary and the rules of a dialect whose messages are named by their structure.

use super::lint::unknown_clause;
use crate::finding::{Level, Source};
use crate::rules::monitor::MonitorConfig;
use crate::rules::rule::{Rule, RuleForm};
use conform_dialect::file::{DialectFile, FrameSpec, JsonRpcFile};
use conform_dialect::json_rpc::{JsonRpc, RULES, StructureRule};
use conform_dialect::{Clause, FrameNames};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, Span, unknown};

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
            let at = format!("/events/{}", spanned_yaml::escape_step(name));
            let message = format!(
                "`{name}` is a method of both sides: remove it from `events` or from `commands`, or write `{name}: {{ both_sides: true }}`"
            );
            errors.push(root.nearest(&at).error(message));
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
    let mut errors = Vec::new();
    let mut say = |at: &str, message: &str| errors.push(root.nearest(at).error(message));
    match (&file.naming, &file.discriminator) {
        (Some(_), Some(_)) => say(
            "/discriminator",
            "frames are named by `naming: json-rpc` or by `discriminator`: remove one of the two",
        ),
        (Some(_), None) => {}
        (None, _) => {
            if file.json_rpc.is_some() {
                let message =
                    "`json_rpc` goes with `naming: json-rpc`: write that too, or remove it";
                say("/json_rpc", message);
            }
            for (side, names) in [("events", &file.events), ("commands", &file.commands)] {
                for (name, spec) in names {
                    let at = format!("/{side}/{}", spanned_yaml::escape_step(name));
                    if spec
                        .as_ref()
                        .is_some_and(|it| it.notification || it.both_sides)
                    {
                        let message = "`notification` and `both_sides` go with `naming: json-rpc`: write that too, or remove them";
                        say(&at, message);
                    }
                }
            }
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
    for (name, node) in &file.clauses {
        if !RULES.iter().any(|(_, known, _)| known == name) {
            let known = RULES.iter().map(|(_, known, _)| *known);
            errors.push(node.error(unknown("rule of json-rpc", name, known)));
        }
    }
    let rule = |(rule, name, doc): &(StructureRule, &str, &str)| {
        let cited = file.clauses.get(*name);
        let cited = clauses_of(cited, clauses, root, errors);
        let strengths = cited.iter().filter_map(|id| clauses.get(id));
        Rule {
            id: format!("{dialect}/json-rpc/{name}"),
            span: Span::default(),
            level: strengths
                .map(|clause| clause.strength)
                .max()
                .unwrap_or(Level::Must),
            source: Source::Spec,
            clauses: cited,
            doc: (*doc).to_owned(),
            written: String::new(),
            config: MonitorConfig::default(),
            form: RuleForm::Structure(*rule),
        }
    };
    RULES.iter().map(rule).collect()
}

fn clauses_of(
    node: Option<&Node>,
    known: &IndexMap<String, Clause>,
    root: &Node,
    errors: &mut Vec<Error>,
) -> Vec<String> {
    let Some(node) = node else {
        return Vec::new();
    };
    let mut ids = Vec::new();
    for one in node.as_list().unwrap_or(std::slice::from_ref(node)) {
        match one.as_str() {
            Some(id) if known.contains_key(id) => ids.push(id.to_owned()),
            Some(id) => errors.push(root.error_at(one.span(), unknown_clause(id, known))),
            None => {
                let found = one.describe();
                errors.push(one.error(format!("expected the id of a clause, found {found}")));
            }
        }
    }
    ids
}
