//! The compiler of conditions: text, or YAML lists and maps of conditions.

use super::Compiler;
use crate::rules::condition::Condition;
use crate::rules::parse;
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn condition(&mut self, node: &Node) -> Option<Condition> {
        if node.as_str().is_some() {
            return self.read(node, parse::condition);
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
            "any" => Some(Condition::Any(
                self.conditions(value.as_list().unwrap_or_default())?,
            )),
            "all" => Some(Condition::All(
                self.conditions(value.as_list().unwrap_or_default())?,
            )),
            "not" => Some(Condition::Not(Box::new(self.condition(&value)?))),
            "seen" => {
                let pattern = self.pattern(&value)?;
                self.seen.push(pattern.clone());
                Some(Condition::Seen(self.seen.len() - 1, pattern))
            }
            name => self.fail(node.error_at(
                key.span,
                unknown("condition", name, ["any", "all", "not", "seen"]),
            )),
        }
    }

    fn conditions(&mut self, nodes: &[Node]) -> Option<Vec<Condition>> {
        nodes.iter().map(|node| self.condition(node)).collect()
    }
}

/// A condition as readable text, for the `expected` of a finding.
pub(super) fn describe(node: &Node) -> Vec<String> {
    fn one(node: &Node) -> String {
        if let Some(text) = node.as_str() {
            return text.to_owned();
        }
        let join =
            |nodes: &[Node], word: &str| nodes.iter().map(one).collect::<Vec<_>>().join(word);
        if let Some(list) = node.as_list() {
            return join(list, " and ");
        }
        match node.as_map() {
            Some([(key, value)]) => match (key.name.as_str(), value.as_list()) {
                ("any", Some([])) => "never".to_owned(),
                ("any", Some(list)) => join(list, " or "),
                ("all", Some(list)) => join(list, " and "),
                ("seen", _) => format!("{} earlier", one(value)),
                (word, _) => format!("{word} ({})", one(value)),
            },
            Some([(_, list), (_, inner)]) => {
                format!("for every element of {}: {}", one(list), one(inner))
            }
            _ => String::new(),
        }
    }
    match node.as_map() {
        Some([(key, value)]) if key.name == "any" => value
            .as_list()
            .unwrap_or_default()
            .iter()
            .map(one)
            .collect(),
        _ => vec![one(node)],
    }
}
