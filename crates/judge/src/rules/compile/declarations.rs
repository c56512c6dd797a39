//! The compiler of declarations: state variables, scopes and acknowledgements.

use super::Compiler;
use super::setting::SettingChanges;
use crate::rules::frame_pattern::FramePattern;
use crate::rules::history_state::{Acknowledgement, Declarations, ScopeDeclaration};
use crate::rules::parse;
use crate::rules::variable_spec::{Change, DeclaredChange, VariableSpec};
use conform_dialect::ordering::Ordering;
use conform_dialect::ordering::state::VariableKind;
use conform_dialect::ordering::variables::{SettingFile, StateFile};
use frame_language::Operand;
use spanned_yaml::{Key, Node, unknown};

impl Compiler<'_> {
    pub(super) fn declarations(&mut self, ordering: &Ordering) -> Declarations {
        let mut declarations = Declarations::default();
        for (name, scope) in &ordering.file.scopes {
            self.scopes.insert(name.clone(), declarations.scopes.len());
            let (open, close) = (self.pattern(&scope.open), self.pattern(&scope.close));
            declarations.scopes.push(ScopeDeclaration {
                name: name.clone(),
                open: open.unwrap_or_default(),
                close: close.unwrap_or_default(),
            });
        }
        for (name, state) in &ordering.file.state {
            if let Err(error) = state.is_of_one_kind() {
                self.errors.push(error);
                continue;
            }
            let variables = match &state.setting {
                None => self.variable(name, state).map(|one| vec![one]),
                Some(setting) => {
                    let setting = setting.over(ordering.file.settings.as_ref());
                    self.setting_variables(name, &setting)
                }
            };
            declarations
                .variables
                .extend(variables.into_iter().flatten());
        }
        for answer in &ordering.file.acknowledgements {
            let key = answer.key.as_ref().and_then(|k| self.operand(k));
            let (event, command) = (self.pattern(&answer.event), self.pattern(&answer.to));
            declarations.acknowledgements.push(Acknowledgement {
                event: event.unwrap_or_default(),
                command: command.unwrap_or_default(),
                key,
            });
        }
        declarations
    }

    fn variable(&mut self, name: &str, state: &StateFile) -> Option<VariableSpec> {
        let kind = match state.kind() {
            Ok(kind) => kind,
            Err(error) => return self.fail(error),
        };
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
        let changes = match (&state.flag, &state.owed) {
            (Some(flag), _) => self.flag(flag)?,
            (_, Some(owed)) => self.owed(owed)?,
            (None, None) => self.changes(state.on.as_ref()),
        };
        let acknowledged_by = self.optional(state.acknowledged_by.as_ref(), Self::pattern)?;
        Some(VariableSpec {
            name: name.to_owned(),
            kind,
            start: state.start.as_ref().map(Node::to_value),
            argv,
            from_commands: self.are_from_commands(&changes),
            changes,
            acknowledged_by,
        })
    }

    /// The variables of a setting, in the order of `StateFile::names`.
    fn setting_variables(&mut self, name: &str, file: &SettingFile) -> Option<Vec<VariableSpec>> {
        let number = self.state_number(name)?;
        let SettingChanges { own, asked } = self.setting(number, file)?;
        let parts = asked.into_iter().flatten().zip(["asked", "before"]);
        let parts =
            parts.map(|(changes, part)| (format!("{name}.{part}"), VariableKind::Map, changes));
        let all = std::iter::once((name.to_owned(), VariableKind::Value, own)).chain(parts);
        let all = all.map(|(name, kind, changes)| VariableSpec {
            name,
            kind,
            start: None,
            argv: Vec::new(),
            from_commands: self.are_from_commands(&changes),
            changes,
            acknowledged_by: None,
        });
        Some(all.collect())
    }

    fn are_from_commands(&self, changes: &[DeclaredChange]) -> bool {
        let mut frames = changes.iter().map(|change| change.on.symbols());
        frames.any(|symbols| symbols.intersects(&self.known.symbols.host))
    }

    fn flag(&mut self, node: &Node) -> Option<Vec<DeclaredChange>> {
        let entries = node.as_map().unwrap_or_default();
        if !entries.iter().any(|(key, _)| key.name == "set") {
            return self
                .fail(node.error("a flag was expected: `{ set: PATTERN, clear: PATTERN }`"));
        }
        let each = entries.iter().map(|(key, pattern)| {
            let change = match key.name.as_str() {
                "set" => Change::Set(Operand::Literal(true.into())),
                "clear" => Change::Clear,
                name => {
                    let message = unknown("change of a flag", name, ["set", "clear"]);
                    return self.fail(node.error_at(key.span, message));
                }
            };
            Some(DeclaredChange::at(self.pattern(pattern)?, change))
        });
        each.collect()
    }

    fn changes(&mut self, on: Option<&Node>) -> Vec<DeclaredChange> {
        let mut changes = Vec::new();
        for (key, node) in on.and_then(Node::as_map).unwrap_or_default() {
            let Some(on) = self.pattern_of_key(key, node) else {
                continue;
            };
            for node in node.as_list().unwrap_or(std::slice::from_ref(node)) {
                if let Some((change, for_each)) = self.change(node) {
                    changes.push(DeclaredChange {
                        on: on.clone(),
                        change,
                        for_each,
                    });
                }
            }
        }
        changes
    }

    /// The pattern that is the key of an entry.
    pub(super) fn pattern_of_key(&mut self, key: &Key, entry: &Node) -> Option<FramePattern> {
        match parse::pattern(&key.name, &self.names) {
            Ok(pattern) => Some(pattern),
            Err(error) => self.fail(entry.error_at(key.span, error.message)),
        }
    }

    /// A change whose name is known, and the list for whose elements it is made.
    fn change(&mut self, node: &Node) -> Option<(Change<Operand>, Option<Operand>)> {
        let list = self.optional(node.get("for"), Self::operand)?;
        let entries = node.as_map().unwrap_or_default();
        let Some((key, value)) = entries.iter().find(|(key, _)| key.name != "for") else {
            let change = match node.as_str() {
                Some("increment") => Change::Increment,
                Some("clear") => Change::Clear,
                _ => return self.fail(node.error("this change needs a value")),
            };
            return Some((change, list));
        };
        let make = match key.name.as_str() {
            "put" | "concat" => {
                let Some([k, v]) = value.as_list() else {
                    return self.fail(value.error("a list of a key and a value was expected"));
                };
                let (k, v) = (self.operand(k)?, self.operand(v)?);
                let make = if key.name == "put" {
                    Change::Put
                } else {
                    Change::Concat
                };
                return Some((make(k, v), list));
            }
            "add" => Change::Add,
            "remove" => Change::Remove,
            "append" => Change::Append,
            "take" => Change::Take,
            "set" => Change::Set,
            name => {
                return self.fail(node.error_at(key.span, format!("`{name}` takes no value")));
            }
        };
        Some((make(self.operand(value)?), list))
    }
}
