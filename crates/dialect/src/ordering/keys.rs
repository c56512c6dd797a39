//! Where each key of a rule belongs, and what former keys are called now: errors for keys in the wrong place say what to write.

use indexmap::IndexMap;
use spanned_yaml::{Error, Key, Node};

/// The keys of a rule of any form.
pub const RULE_KEYS: &[&str] = &[
    "level", "source", "clauses", "doc", "message", "blame", "each", "when",
];

/// A form of rule, and the keys of its map.
#[derive(Debug, Clone, Copy)]
pub struct FormKeys {
    /// Its name: the key in the rule.
    pub form: &'static str,
    /// The keys of its map; empty if it is no map.
    pub keys: &'static [&'static str],
}

/// The forms.
pub const FORMS: &[FormKeys] = &[
    FormKeys {
        form: "order",
        keys: &[
            "expression",
            "alphabet",
            "unless",
            "disable_on",
            "at_end",
            "timeout_if",
        ],
    },
    FormKeys {
        form: "response",
        keys: &[
            "from",
            "to",
            "before",
            "unless",
            "unless_within",
            "at_end",
            "timeout_if",
        ],
    },
    FormKeys {
        form: "require",
        keys: &["on", "that", "fold"],
    },
    FormKeys {
        form: "exit",
        keys: &[],
    },
    FormKeys {
        form: "wire",
        keys: &[],
    },
    FormKeys {
        form: "readings",
        keys: &["on", "of"],
    },
];

/// Former keys of rules, and what to write instead.
pub const FORMER_RULE_KEYS: &[(&str, &str)] = &[
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
    (
        "within",
        "`within` no longer exists: a scenario's step has a time limit, a rule has none",
    ),
];

/// Former keys of state variables.
pub const FORMER_STATE_KEYS: &[(&str, &str)] = &[("settles", "`settles` is now `acknowledged_by`")];

/// Former keys of `answers`.
pub const FORMER_ANSWER_KEYS: &[(&str, &str)] = &[(
    "command_key",
    "`command_key` no longer exists: the event and the command have the id under the same `key`",
)];

/// Former ways to fold.
pub const FORMER_FOLD_KEYS: &[(&str, &str)] = &[
    (
        "list",
        "a fold has no `list`: append to a state variable of the kind list",
    ),
    (
        "last",
        "a fold has no `last`: set a state variable of the kind value",
    ),
];

/// Former keys of the declarations in `ordering.yaml`: an error at each, which says what to write.
#[must_use]
pub fn former_in_declarations(root: &Node) -> Vec<Error> {
    let mut errors = Vec::new();
    for (_, state) in entries(root.get("state")) {
        former(state, FORMER_STATE_KEYS, &mut errors);
    }
    let answers = root.get("answers").and_then(Node::as_list);
    for answer in answers.unwrap_or_default() {
        former(answer, FORMER_ANSWER_KEYS, &mut errors);
    }
    errors
}

fn entries(node: Option<&Node>) -> &[(Key, Node)] {
    node.and_then(Node::as_map).unwrap_or_default()
}

fn former(map: &Node, table: &[(&str, &str)], errors: &mut Vec<Error>) {
    for (key, _) in entries(Some(map)) {
        if let Some((_, message)) = table.iter().find(|(name, _)| *name == key.name) {
            errors.push(map.error_at(key.span, *message));
        }
    }
}

/// Keys of a rule in the wrong place, and former keys: an error at each, which says what to write.
#[must_use]
pub fn misplaced_in_rule(rule: &Node) -> Vec<Error> {
    let mut errors = Vec::new();
    former(rule, FORMER_RULE_KEYS, &mut errors);
    let mut by_form: IndexMap<&str, Vec<&Key>> = IndexMap::new();
    for (key, value) in entries(Some(rule)) {
        match FORMS.iter().find(|form| form.form == key.name) {
            Some(form) => in_form(rule, *form, value, &mut errors),
            None if RULE_KEYS.contains(&key.name.as_str()) => {}
            None => {
                if let Some(form) = form_of(&key.name, rule) {
                    by_form.entry(form).or_default().push(key);
                }
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

/// The form that has a key: of several, the one that the rule has.
fn form_of(key: &str, rule: &Node) -> Option<&'static str> {
    let mut forms = FORMS.iter().filter(|form| form.keys.contains(&key));
    let own = forms.clone().find(|form| rule.get(form.form).is_some());
    own.or(forms.next()).map(|form| form.form)
}

fn in_form(rule: &Node, form: FormKeys, value: &Node, errors: &mut Vec<Error>) {
    if form.form == "require" && !is_require_map(value) {
        // A rule in the former shape has `on` beside it, which is an error of its own.
        if rule.get("on").is_none() {
            let message = "`require` is a map: write `require: { on: PATTERN, that: CONDITION }`";
            errors.push(value.error(message));
        }
        return;
    }
    if form.keys.is_empty() {
        return;
    }
    if let Some(fold) = value.get("fold") {
        former(fold, FORMER_FOLD_KEYS, errors);
    }
    former(value, FORMER_RULE_KEYS, errors);
    for (key, _) in entries(Some(value)) {
        let name = key.name.as_str();
        if form.keys.contains(&name) {
            continue;
        }
        let others = FORMS.iter().filter(|other| other.keys.contains(&name));
        let others: Vec<_> = others.map(|other| format!("`{}`", other.form)).collect();
        let known = form.keys.join(", ");
        if RULE_KEYS.contains(&name) {
            let message = format!(
                "`{name}` belongs to the rule: write it beside `{}`",
                form.form
            );
            errors.push(value.error_at(key.span, message));
        } else if !others.is_empty() {
            let message = format!(
                "`{name}` is a key of {}; `{}` has {known}",
                others.join(" and "),
                form.form
            );
            errors.push(value.error_at(key.span, message));
        }
    }
}

fn is_require_map(value: &Node) -> bool {
    ["on", "that", "fold"]
        .iter()
        .any(|key| value.get(key).is_some())
}
