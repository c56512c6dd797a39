//! The compiler of conditions: text, names, or YAML lists and maps of conditions.

use super::Compiler;
use crate::rules::condition::Condition;
use crate::rules::parse;
use indexmap::IndexMap;
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn condition(&mut self, node: &Node) -> Option<Condition> {
        if let Some(text) = node.as_str() {
            return self
                .condition_with_seen(text)
                .or_else(|| self.read(node, parse::condition));
        }
        if let Some(list) = node.as_list() {
            return Some(Condition::All(self.conditions(list)?));
        }
        let (key, value) = match node.as_map() {
            Some([(key, value)]) => (key.clone(), value.clone()),
            Some([(every, list), (holds, inner)])
                if every.name == "every" && holds.name == "holds" =>
            {
                return Some(Condition::Every(
                    self.operand(list)?,
                    Box::new(self.condition(inner)?),
                ));
            }
            _ => {
                return self.fail(
                    node.error("a condition was expected: text, or one of any, all, not, seen, or every with holds"),
                );
            }
        };
        match key.name.as_str() {
            "any" => Some(Condition::Any(self.list_of_conditions(&value)?)),
            "all" => Some(Condition::All(self.list_of_conditions(&value)?)),
            "not" => Some(Condition::Not(Box::new(self.condition(&value)?))),
            "seen" => {
                let pattern = self.pattern(&value)?;
                self.seen.push(pattern.clone());
                Some(Condition::Seen(self.seen.len() - 1, pattern))
            }
            name => self.fail(node.error_at(
                key.span,
                unknown("condition", name, ["any", "all", "not", "seen", "every"]),
            )),
        }
    }

    /// A named condition that contains `seen`: its patterns get numbers of the rule that uses it.
    fn condition_with_seen(&mut self, name: &str) -> Option<Condition> {
        let named = self.names.conditions.get(name.trim())?;
        let first = self.seen.len();
        self.seen.extend(named.seen.iter().cloned());
        Some(renumbered(&named.condition, first))
    }

    fn list_of_conditions(&mut self, node: &Node) -> Option<Vec<Condition>> {
        match node.as_list() {
            Some(list) => self.conditions(list),
            None => self.fail(node.error(format!(
                "a list of conditions was expected, not {}",
                node.describe()
            ))),
        }
    }

    fn conditions(&mut self, nodes: &[Node]) -> Option<Vec<Condition>> {
        nodes.iter().map(|node| self.condition(node)).collect()
    }
}

/// A condition whose `seen` patterns are numbered from `first`.
fn renumbered(condition: &Condition, first: usize) -> Condition {
    let each = |all: &[Condition]| all.iter().map(|one| renumbered(one, first)).collect();
    match condition {
        Condition::All(all) => Condition::All(each(all)),
        Condition::Any(all) => Condition::Any(each(all)),
        Condition::Not(inner) => Condition::Not(Box::new(renumbered(inner, first))),
        Condition::Seen(n, pattern) => Condition::Seen(first + n, pattern.clone()),
        Condition::Every(list, inner) => {
            Condition::Every(list.clone(), Box::new(renumbered(inner, first)))
        }
        other => other.clone(),
    }
}

/// A condition as readable text, for the `expected` of a finding. Named conditions are written out.
pub(super) fn describe(node: &Node, named: &IndexMap<String, Node>) -> Vec<String> {
    let node = resolved(node, named);
    match node.as_map() {
        Some([(key, value)]) if key.name == "any" => {
            alternatives(value.as_list().unwrap_or_default(), named)
        }
        _ => vec![text_of(node, named)],
    }
}

/// The alternatives that a frame could have met. One about state alone says when the rule is silent, so it is left out if there are others.
fn alternatives(options: &[Node], named: &IndexMap<String, Node>) -> Vec<String> {
    let all: Vec<_> = options.iter().map(|one| text_of(one, named)).collect();
    let of_frame: Vec<_> = all
        .iter()
        .filter(|text| !is_about_state_alone(text))
        .cloned()
        .collect();
    if of_frame.is_empty() { all } else { of_frame }
}

/// Whether a text names state, and neither a member of the frame nor the whole frame. A pointer behind a variable goes into its value.
fn is_about_state_alone(text: &str) -> bool {
    let mut before = ' ';
    let mut frame = false;
    for c in text.chars() {
        frame |= matches!(c, '/' | '.') && matches!(before, ' ' | '(' | '[');
        before = c;
    }
    let other = frame || text.contains("$fold") || text.contains(" earlier");
    text.contains('$') && !other
}

/// The condition behind a name.
fn resolved<'n>(node: &'n Node, named: &'n IndexMap<String, Node>) -> &'n Node {
    let condition = node.as_str().and_then(|name| named.get(name.trim()));
    condition.unwrap_or(node)
}

fn text_of(node: &Node, named: &IndexMap<String, Node>) -> String {
    let node = resolved(node, named);
    if let Some(text) = node.as_str() {
        return text.to_owned();
    }
    let join = |nodes: &[Node], word: &str| {
        let texts = nodes.iter().map(|one| text_of(one, named));
        texts.collect::<Vec<_>>().join(word)
    };
    if let Some(list) = node.as_list() {
        return join(list, " and ");
    }
    match node.as_map() {
        Some([(key, value)]) => match (key.name.as_str(), value.as_list()) {
            ("any", Some([])) => "never".to_owned(),
            ("any", Some(list)) => alternatives(list, named).join(" or "),
            ("all", Some(list)) => join(list, " and "),
            ("seen", _) => format!("{} earlier", text_of(value, named)),
            (word, _) => format!("{word} ({})", text_of(value, named)),
        },
        Some([(_, list), (_, inner)]) => {
            let (list, inner) = (text_of(list, named), text_of(inner, named));
            format!("for every element of {list}: {inner}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alternative_about_state_alone_is_no_expectation() {
        for text in [
            "$name absent",
            "$model/api absent",
            "$open = 0 and $begun > 1",
        ] {
            assert!(is_about_state_alone(text), "{text}");
        }
        for text in [
            "/name = $name",
            "$model_of[/id] = x",
            ". in $history",
            "sum(/a /b) = $all",
            "$fold empty",
            "hello earlier and $open = 0",
        ] {
            assert!(!is_about_state_alone(text), "{text}");
        }
    }
}
