//! The compiler of declarations: state variables, scopes, classes and answers.

use super::Compiler;
use crate::rules::condition::Operand;
use crate::rules::history_state::{CommandAnswer, Declarations, ScopeDeclaration};
use crate::rules::parse;
use crate::rules::variable_spec::{Change, DeclaredChange, VariableKind, VariableSpec};
use conform_dialect::ordering::Ordering;
use conform_dialect::ordering::file::StateFile;
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn declarations(&mut self, ordering: &Ordering) -> Declarations {
        let mut declarations = Declarations::default();
        for (name, scope) in &ordering.scopes {
            self.scopes.insert(name.clone(), declarations.scopes.len());
            let (open, close) = (self.pattern(&scope.open), self.pattern(&scope.close));
            declarations.scopes.push(ScopeDeclaration {
                name: name.clone(),
                open: open.unwrap_or_default(),
                close: close.unwrap_or_default(),
            });
        }
        for (name, state) in &ordering.state {
            if let Some(var) = self.variable(name, state) {
                declarations.variables.push(var);
            }
        }
        for answer in &ordering.answers {
            let key = answer.key.as_ref().and_then(|k| self.operand(k));
            let (event, command) = (self.pattern(&answer.event), self.pattern(&answer.to));
            declarations.answers.push(CommandAnswer {
                event: event.unwrap_or_default(),
                command: command.unwrap_or_default(),
                key,
            });
        }
        declarations
    }

    fn variable(&mut self, name: &str, state: &StateFile) -> Option<VariableSpec> {
        const KINDS: &[(&str, VariableKind)] = &[
            ("value", VariableKind::Value),
            ("set", VariableKind::Set),
            ("map", VariableKind::Map),
            ("list", VariableKind::List),
            ("count", VariableKind::Count),
        ];
        let place = state.on.as_ref().unwrap_or(self.root).clone();
        let kind = self.word("kind of state", &state.kind, KINDS, &place)?;
        let mut argv = Vec::new();
        for (flag, node) in &state.argv {
            match (node.as_str(), node.get("value")) {
                (Some("next"), _) => argv.push((flag.clone(), None)),
                (_, Some(value)) => argv.push((flag.clone(), Some(value.to_value()))),
                _ => self
                    .errors
                    .push(node.error("`next` or `{ value: X }` was expected")),
            }
        }
        let mut changes = Vec::new();
        let entries = state.on.as_ref().and_then(Node::as_map).unwrap_or_default();
        for (key, node) in entries {
            let on = match parse::pattern(&key.name, &self.names) {
                Ok(pattern) => pattern,
                Err(error) => {
                    let error = node.error_at(key.span, error.message);
                    self.errors.push(error);
                    continue;
                }
            };
            for node in node.as_list().unwrap_or(std::slice::from_ref(node)) {
                if let Some((change, list)) = self.change(node) {
                    changes.push(DeclaredChange {
                        on: on.clone(),
                        change,
                        for_each: list,
                    });
                }
            }
        }
        let acknowledged_by = match &state.acknowledged_by {
            Some(node) => Some(self.pattern(node)?),
            None => None,
        };
        let from_commands = changes
            .iter()
            .any(|change| change.on.symbols().intersects(&self.known.symbols.host));
        Some(VariableSpec {
            name: name.to_owned(),
            kind,
            start: state.start.as_ref().map(Node::to_value),
            argv,
            changes,
            acknowledged_by,
            from_commands,
        })
    }

    fn change(&mut self, node: &Node) -> Option<(Change, Option<Operand>)> {
        match node.as_str() {
            Some("clear") => return Some((Change::Clear, None)),
            Some("increment") => return Some((Change::Increment, None)),
            _ => {}
        }
        let list = match node.get("for") {
            Some(list) => Some(self.operand(list)?),
            None => None,
        };
        let entries = node.as_map().unwrap_or_default();
        let (key, value) = match entries.iter().find(|(key, _)| key.name != "for") {
            Some((key, value)) => (key.clone(), value.clone()),
            None => return self.fail(node.error(
                "a change was expected: clear, increment, set, add, remove, put, append, take or concat",
            )),
        };
        let change = match key.name.as_str() {
            "set" => Change::Set(self.operand(&value)?),
            "add" => Change::Add(self.operand(&value)?),
            "remove" => Change::Remove(self.operand(&value)?),
            "append" => Change::Append(self.operand(&value)?),
            "take" => Change::Take(self.operand(&value)?),
            "put" | "concat" => {
                let Some([k, v]) = value.as_list() else {
                    return self.fail(value.error("a list of a key and a value was expected"));
                };
                let (k, v) = (self.operand(k)?, self.operand(v)?);
                if key.name == "put" {
                    Change::Put(k, v)
                } else {
                    Change::Concat(k, v)
                }
            }
            name => {
                let known = ["set", "add", "remove", "put", "append", "take", "concat"];
                return self.fail(node.error_at(key.span, unknown("change", name, known)));
            }
        };
        Some((change, list))
    }
}
