//! The compiler of named conditions and classes. They may use each other in any order of the file.

use super::Compiler;
use crate::rules::frame_pattern::FramePattern;
use conform_dialect::ordering::Ordering;
use frame_language::{Condition, Pattern, Token, tokenize};
use spanned_yaml::Node;
use std::collections::HashSet;

impl Compiler<'_> {
    /// Makes the names of state variables, conditions and classes known.
    pub(super) fn names(&mut self, ordering: &Ordering) {
        let state = self.names.declared.state.get_or_insert_default();
        let declared = ordering.file.state.iter();
        let names = declared.flat_map(|(name, variable)| variable.names(name));
        for (n, name) in names.enumerate() {
            state.insert(name, n);
        }
        for name in by_dependency(ordering) {
            if let Some(node) = ordering.file.conditions.get(name) {
                self.named_condition(name, node);
            }
            if let Some(patterns) = ordering.file.classes.get(name) {
                let patterns = patterns.iter().filter_map(|node| self.pattern(node));
                let written = |pattern: FramePattern| {
                    let atoms = pattern.atoms().iter();
                    atoms.map(|atom| atom.written.clone()).collect::<Vec<_>>()
                };
                let class = Pattern(patterns.flat_map(written).collect());
                self.names.declared.classes.insert(name.to_owned(), class);
            }
        }
    }

    fn named_condition(&mut self, name: &str, node: &Node) {
        self.seen.clear();
        // A condition with a mistake stays known, so that its uses are not mistakes too.
        let condition = self.condition(node).unwrap_or(Condition::Any(Vec::new()));
        let known = &mut self.names.declared.conditions;
        known.insert(name.to_owned(), condition);
    }
}

/// The names of conditions and classes, each after those that it uses.
fn by_dependency(ordering: &Ordering) -> Vec<&str> {
    let mut sorted = Vec::new();
    let mut visited = HashSet::new();
    let conditions = ordering.file.conditions.keys();
    for name in conditions.chain(ordering.file.classes.keys()) {
        visit(name, ordering, &mut visited, &mut sorted);
    }
    sorted
}

fn visit<'o>(
    name: &'o str,
    ordering: &'o Ordering,
    visited: &mut HashSet<&'o str>,
    sorted: &mut Vec<&'o str>,
) {
    if !visited.insert(name) {
        return;
    }
    let mut used = Vec::new();
    let patterns = ordering.file.classes.get(name).into_iter().flatten();
    for node in patterns.chain(ordering.file.conditions.get(name)) {
        names_in(node, &mut used);
    }
    for word in used {
        let class = ordering.file.classes.get_key_value(word.as_str());
        let condition = ordering.file.conditions.get_key_value(word.as_str());
        let known = class
            .map(|(name, _)| name)
            .or(condition.map(|(name, _)| name));
        if let Some(known) = known {
            visit(known, ordering, visited, sorted);
        }
    }
    sorted.push(name);
}

/// Every name in the expressions of a node.
fn names_in(node: &Node, names: &mut Vec<String>) {
    let tokens = node.as_str().and_then(|text| tokenize(text).ok());
    for (_, token) in tokens.into_iter().flatten() {
        if let Token::Name(name) = token {
            names.push(name);
        }
    }
    let entries = node.as_map().unwrap_or_default();
    let values = entries.iter().map(|(_, value)| value);
    for inner in node.as_list().unwrap_or_default().iter().chain(values) {
        names_in(inner, names);
    }
}
