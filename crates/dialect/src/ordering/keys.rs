//! Where each key of a rule belongs, and what former keys are called now: errors for keys in the wrong place say what to write.

use super::file::{Form, OrderFile, ReadingsFile, RequireFile, ResponseFile, RuleFile};
use indexmap::IndexMap;
use spanned_yaml::{Error, Key, Node, former_keys, names_of};

/// Former keys of rules, and what to write instead.
const FORMER_RULE_KEYS: &[(&str, &str)] = &[
    ("excuse", "`excuse` is now `unless`, under `order`"),
    ("void", "`void` is now `disable_on`, under `order`"),
    ("also", "`also` is now `alphabet`, under `order`"),
    (
        "in_time",
        "`in_time` is now `timeout_if`, under `order` or `response`",
    ),
    (
        "patience",
        "`patience` is now `unless_within`, under `response`",
    ),
    ("wire", "`wire` is now `framing`"),
    (
        "within",
        "`within` no longer exists: a scenario's step has a time limit, a rule has none",
    ),
];

/// Former keys of state variables.
const FORMER_STATE_KEYS: &[(&str, &str)] = &[
    ("settles", "`settles` is now `acknowledged_by`"),
    (
        "kind",
        "leave `kind` out: what a variable holds follows from its changes",
    ),
];

/// Former keys of the file.
const FORMER_FILE_KEYS: &[(&str, &str)] = &[("answers", "`answers` is now `acknowledgements`")];

/// Former keys of `acknowledgements`.
const FORMER_ACKNOWLEDGEMENT_KEYS: &[(&str, &str)] = &[(
    "command_key",
    "`command_key` no longer exists: the event and the command have the id under the same `key`",
)];

/// Former ways to fold.
const FORMER_FOLD_KEYS: &[(&str, &str)] = &[
    (
        "list",
        "a fold has no `list`: append to a state variable that is a list",
    ),
    (
        "last",
        "a fold has no `last`: set a state variable to the value",
    ),
];

/// Former spellings in the declarations of `ordering.yaml`: an error at each, which states what to write.
pub(super) fn former_in_declarations(root: &Node) -> Vec<Error> {
    let state = entries(root.get("state")).iter();
    let mut errors: Vec<_> = state
        .flat_map(|(_, one)| former_keys(one, FORMER_STATE_KEYS))
        .collect();
    errors.extend(former_keys(root, FORMER_FILE_KEYS));
    let one_by_one = root.get("acknowledgements").and_then(Node::as_list);
    let one_by_one = one_by_one.unwrap_or_default().iter();
    errors.extend(one_by_one.flat_map(|one| former_keys(one, FORMER_ACKNOWLEDGEMENT_KEYS)));
    errors
}

fn entries(node: Option<&Node>) -> &[(Key, Node)] {
    node.and_then(Node::as_map).unwrap_or_default()
}

/// The keys of the map of a form; none if it is not a map.
fn keys_of(form: &str) -> &'static [&'static str] {
    match form {
        "order" => names_of::<OrderFile>(),
        "response" => names_of::<ResponseFile>(),
        "require" => names_of::<RequireFile>(),
        "readings" => names_of::<ReadingsFile>(),
        _ => &[],
    }
}

/// The forms that have a key.
fn forms_with(key: &str) -> impl Iterator<Item = &'static str> {
    let forms = names_of::<Form>().iter().copied();
    forms.filter(move |form| keys_of(form).contains(&key))
}

/// Keys of a rule in the wrong place, and former keys: an error at each, which states what to write.
pub(super) fn misplaced_in_rule(rule: &Node) -> Vec<Error> {
    let mut errors = former_keys(rule, FORMER_RULE_KEYS);
    let mut by_form: IndexMap<&str, Vec<&Key>> = IndexMap::new();
    for (key, value) in entries(Some(rule)) {
        let name = key.name.as_str();
        if names_of::<Form>().contains(&name) {
            in_form(rule, name, value, &mut errors);
        } else if !names_of::<RuleFile>().contains(&name) {
            // Of several forms that have the key, it is the one that the rule has.
            let own = forms_with(name).find(|form| rule.get(form).is_some());
            if let Some(form) = own.or(forms_with(name).next()) {
                by_form.entry(form).or_default().push(key);
            }
        }
    }
    for (form, keys) in by_form {
        let names: Vec<_> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
        let shape: Vec<_> = keys.iter().map(|key| format!("{}: …", key.name)).collect();
        let verb = if keys.len() == 1 { "stands" } else { "stand" };
        let message = format!(
            "{} {verb} under `{form}`: write `{form}: {{ {} }}`",
            names.join(" and "),
            shape.join(", ")
        );
        errors.push(rule.error_at(keys[0].span, message));
    }
    errors
}

fn in_form(rule: &Node, form: &str, value: &Node, errors: &mut Vec<Error>) {
    let own = keys_of(form);
    if form == "require" && !own.iter().any(|key| value.get(key).is_some()) {
        // A rule in the former shape has `on` next to it, which is an error of its own.
        if rule.get("on").is_none() {
            let message = "`require` is a map: write `require: { on: PATTERN, that: CONDITION }`";
            errors.push(value.error(message));
        }
        return;
    }
    if own.is_empty() {
        return;
    }
    if let Some(fold) = value.get("fold") {
        errors.extend(former_keys(fold, FORMER_FOLD_KEYS));
    }
    errors.extend(former_keys(value, FORMER_RULE_KEYS));
    for (key, _) in entries(Some(value)) {
        let name = key.name.as_str();
        let others: Vec<_> = forms_with(name).map(|other| format!("`{other}`")).collect();
        let message = if own.contains(&name) {
            continue;
        } else if names_of::<RuleFile>().contains(&name) {
            format!("`{name}` belongs to the rule: write it beside `{form}`")
        } else if !others.is_empty() {
            let (others, own) = (others.join(" and "), own.join(", "));
            format!("`{name}` is a key of {others}; `{form}` has {own}")
        } else {
            continue;
        };
        errors.push(value.error_at(key.span, message));
    }
}
