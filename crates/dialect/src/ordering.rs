//! Reads `ordering.yaml`: decodes its rules, resolves groups, and merges a version into the one that it extends.

pub mod file;
mod json_schema;
mod keys;
pub mod state;
pub mod variables;

use self::file::{Form, GroupFile, OrderingFile, RuleFile};
use indexmap::IndexMap;
use spanned_yaml::{Error, Key, Kind, Node, Span, decode_all, decode_verb};

/// The rules of a dialect and what they use, before they are compiled.
#[derive(Debug, Clone, Default)]
pub struct Ordering {
    /// The declarations of the file; its rules and groups are taken out.
    pub file: OrderingFile,
    /// The rules, by name, including those of groups.
    pub rules: IndexMap<String, RuleSource>,
}

/// A rule and its place.
#[derive(Debug, Clone)]
pub struct RuleSource {
    /// The rule, with the keys that its group shares.
    pub file: RuleFile,
    /// What it checks.
    pub form: Form,
    /// The place of its name.
    pub name: Span,
    /// The rule as written, for the places of errors.
    pub node: Node,
}

impl Ordering {
    /// Reads a file.
    ///
    /// # Errors
    /// Every mistake, each with its place.
    pub fn read(root: &Node) -> Result<Self, Vec<Error>> {
        let mut errors = keys::former_in_declarations(root);
        let known: Vec<_> = errors.iter().map(|error| error.span).collect();
        let mut file = decode_all::<OrderingFile>(root).unwrap_or_else(|mistakes| {
            errors.extend(mistakes.into_iter().filter(|e| !known.contains(&e.span)));
            OrderingFile::default()
        });
        let mut rules = IndexMap::new();
        let none = GroupFile::default();
        let top = file.rules.drain(..).map(|(name, node)| (name, node, &none));
        let grouped = file.groups.values().flat_map(|group| {
            let rules = group.rules.iter();
            rules.map(move |(name, node)| (name.clone(), node.clone(), group))
        });
        let placed = top.chain(grouped).map(|(name, node, group)| {
            let span = key_span(root, &name);
            (span, name, node, group)
        });
        let mut in_order: Vec<_> = placed.collect();
        in_order.sort_by_key(|(span, ..)| (span.line, span.column));
        for (span, name, node, group) in in_order {
            let is_first = !rules.contains_key(&name);
            if !is_first {
                errors.push(node.error(format!("the rule `{name}` is defined twice")));
            }
            let misplaced = keys::misplaced_in_rule(&node);
            if !misplaced.is_empty() {
                errors.extend(misplaced);
                continue;
            }
            match rule(node, span, group) {
                Ok(rule) if is_first => {
                    rules.insert(name, rule);
                }
                Ok(_) => {}
                Err(mistakes) => errors.extend(mistakes),
            }
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| (error.span.line, error.span.column));
            return Err(errors);
        }
        file.groups.clear();
        Ok(Ordering { file, rules })
    }

    /// The same rules without these clauses.
    #[must_use]
    pub fn without_clauses(mut self, gone: &[String]) -> Self {
        for rule in self.rules.values_mut() {
            rule.file
                .clauses
                .retain(|clause| !gone.contains(&clause.value));
        }
        self
    }

    /// The rules of a version merged into those that it extends: entries replace those of the base with the same name, `remove`
    /// drops rules.
    #[must_use]
    pub fn over(self, mut base: Ordering) -> Self {
        let (own, all) = (self.file, &mut base.file);
        all.classes.extend(own.classes);
        all.conditions.extend(own.conditions);
        all.scopes.extend(own.scopes);
        all.state.extend(own.state);
        all.settings = own.settings.or(all.settings.take());
        all.acknowledgements.extend(own.acknowledgements);
        all.aliases.extend(own.aliases);
        all.conversation = own.conversation.or(all.conversation.take());
        for name in &own.remove {
            base.rules.shift_remove(&name.value);
        }
        base.rules.extend(self.rules);
        base.file.remove = own.remove;
        base
    }
}

/// The place of a rule's name, at the top or in a group.
fn key_span(root: &Node, name: &str) -> Span {
    let groups = root
        .get("groups")
        .and_then(Node::as_map)
        .unwrap_or_default();
    let maps = std::iter::once(root).chain(groups.iter().map(|(_, group)| group));
    maps.filter_map(|map| map.get("rules")?.entry(name))
        .map(|(key, _)| key.span)
        .next()
        .unwrap_or_default()
}

fn rule(node: Node, name: Span, group: &GroupFile) -> Result<RuleSource, Vec<Error>> {
    let (mut file, _, form) = decode_verb::<RuleFile, Form>(&with_order_map(&node), "a rule")?;
    file.level = file.level.or(group.level);
    file.source = file.source.or(group.source);
    file.blame = file.blame.or(group.blame);
    file.each = file.each.or_else(|| group.each.clone());
    file.when = both(group.when.as_ref(), file.when);
    file.clauses.splice(0..0, group.clauses.iter().cloned());
    Ok(RuleSource {
        file,
        form,
        name,
        node,
    })
}

/// The rule with the expression of its `order` in a map, where it is written alone.
fn with_order_map(rule: &Node) -> Node {
    let entries = rule.as_map().unwrap_or_default().iter();
    let entries = entries.cloned().map(|(key, value)| match value.as_map() {
        None if key.name == "order" => {
            let expression = Key {
                name: "expression".to_owned(),
                span: value.span(),
            };
            let order = value.with_kind(Kind::Map(vec![(expression, value.clone())]));
            (key, order)
        }
        _ => (key, value),
    });
    match rule.as_map() {
        Some(_) => rule.with_kind(Kind::Map(entries.collect())),
        None => rule.clone(),
    }
}

/// Both guards, as one condition.
fn both(group: Option<&Node>, own: Option<Node>) -> Option<Node> {
    match (group, own) {
        (Some(group), Some(own)) => {
            let all = vec![group.clone(), own.clone()];
            Some(own.with_kind(Kind::List(all)))
        }
        (group, own) => own.or_else(|| group.cloned()),
    }
}
