//! The compiler of conditions: text, names, or YAML lists and maps of conditions.

use super::Compiler;
use crate::finding::Expected;
use crate::rules::parse;
use crate::rules::wording::expected;
use frame_language::Condition;
use frame_language::parse::condition;
use indexmap::IndexSet;
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn condition(&mut self, node: &Node) -> Option<Condition> {
        if let Some(text) = node.as_str() {
            return self
                .condition_of_name(text.trim())
                .or_else(|| self.read(node, |text, names| condition(text, &names.declared)));
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
                self.seen.push(pattern);
                Some(Condition::Seen(self.seen.len() - 1))
            }
            name => self.fail(node.error_at(
                key.span,
                unknown("condition", name, ["any", "all", "not", "seen", "every"]),
            )),
        }
    }

    /// A named condition. One that contains `seen` is compiled again: its patterns get numbers of the rule that uses it.
    fn condition_of_name(&mut self, name: &str) -> Option<Condition> {
        let named = self.names.declared.conditions.get(name)?;
        if !named.has_seen() {
            return Some(named.clone());
        }
        self.condition(self.conditions.get(name)?)
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

/// What rules know about the end of a process besides its lines.
const OUTSIDE_THE_LINE: &[&str] = &["/by_itself", "/crashed", "/orphans"];

impl Compiler<'_> {
    /// The requirement on a frame: the alternatives that its readers can understand. The message of the rule explains
    /// the others.
    pub(super) fn expected(&self, node: &Node) -> Vec<Expected> {
        let node = self.resolved(node);
        let alternatives = match node.as_map() {
            Some([(key, value)]) if key.name == "any" => value.as_list().unwrap_or_default(),
            _ => std::slice::from_ref(node),
        };
        let words = alternatives.iter().filter_map(|one| self.in_words(one));
        let words = words.collect::<IndexSet<_>>().into_iter();
        words.map(Expected::Condition).collect()
    }

    /// The condition of a name.
    fn resolved<'n>(&'n self, node: &'n Node) -> &'n Node {
        let named = node.as_str().map(|name| self.conditions.get(name.trim()));
        named.flatten().unwrap_or(node)
    }

    /// A condition in words; `None` for one that only the author of the rule understands.
    fn in_words(&self, node: &Node) -> Option<String> {
        let node = self.resolved(node);
        if let Some(text) = node.as_str() {
            let condition = condition(text, &self.names.declared).ok()?;
            let is_of_the_line = |place: &&str| !OUTSIDE_THE_LINE.contains(place);
            return condition
                .subject()
                .filter(is_of_the_line)
                .map(|_| text.to_owned());
        }
        let all = |nodes: &[Node]| -> Option<Vec<String>> {
            nodes.iter().map(|one| self.in_words(one)).collect()
        };
        if let Some(list) = node.as_list() {
            return Some(all(list)?.join(" and "));
        }
        let (key, value) = node.as_map()?.first()?;
        match (key.name.as_str(), value.as_list()) {
            ("any", Some([])) => Some("never".to_owned()),
            ("any", Some(list)) => Some(all(list)?.join(" or ")),
            ("all", Some(list)) => Some(all(list)?.join(" and ")),
            ("seen", _) => {
                let pattern = parse::pattern(value.as_str()?, &self.names).ok()?;
                let frames: Vec<_> = pattern
                    .atoms()
                    .iter()
                    .map(|atom| expected(atom).to_string())
                    .collect();
                Some(format!("{} before it", frames.join(" or ")))
            }
            _ => None,
        }
    }
}
