//! Written matchers to patterns.

use super::ops;
use super::pattern::Pattern;
use spanned_yaml::{Error, Key, Kind, Node, unknown};

/// Compiles a node; `None` if there were errors.
pub(super) fn pattern(node: &Node, errors: &mut Vec<Error>) -> Option<Pattern> {
    match node.kind() {
        Kind::Text(text) => Some(Pattern::Text(text.clone())),
        Kind::List(items) => patterns(items, errors).map(Pattern::List),
        Kind::Map(entries) if entries.iter().any(|(key, _)| is_operator(key)) => {
            checks(node, entries, errors)
        }
        Kind::Map(entries) => {
            let compiled: Vec<_> = entries
                .iter()
                .map(|(key, value)| (plain(key), pattern(value, errors)))
                .collect();
            let whole = compiled.into_iter().map(|(name, one)| Some((name, one?)));
            whole.collect::<Option<_>>().map(Pattern::Object)
        }
        _ => Some(Pattern::Scalar(node.to_value())),
    }
}

/// Compiles several, with the errors of each.
pub(super) fn patterns(nodes: &[Node], errors: &mut Vec<Error>) -> Option<Vec<Pattern>> {
    let compiled: Vec<_> = nodes.iter().map(|node| pattern(node, errors)).collect();
    compiled.into_iter().collect()
}

fn checks(node: &Node, entries: &[(Key, Node)], errors: &mut Vec<Error>) -> Option<Pattern> {
    let mut checks = Vec::new();
    let before = errors.len();
    for (key, operand) in entries {
        if !is_operator(key) {
            let message = format!(
                "the key `{}` beside operators; a map holds the one or the other",
                key.name
            );
            errors.push(node.error_at(key.span, message));
            continue;
        }
        let Some(operator) = ops::find(&key.name) else {
            let known = ops::OPERATORS.iter().map(|operator| operator.name);
            errors.push(node.error_at(key.span, unknown("operator", &key.name, known)));
            continue;
        };
        match (operator.compile)(operand) {
            Ok(check) => checks.push(check),
            Err(found) => errors.extend(found),
        }
    }
    (errors.len() == before).then_some(Pattern::Checks(checks))
}

/// `$name` is an operator; `$$name` is the plain key `$name`.
fn is_operator(key: &Key) -> bool {
    key.name.starts_with('$') && !key.name.starts_with("$$")
}

fn plain(key: &Key) -> String {
    key.name.strip_prefix('$').unwrap_or(&key.name).to_owned()
}
