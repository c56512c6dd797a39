//! State variables of rules: a value, a set, a map, a list or a count, changed by frames.
//!
//! A command that changes what the *agent* holds (`acknowledged_by`) makes a pending change, until the agent shows that it took the command.
//! Until then the variable has several possible contents: one for every prefix of the pending changes, because commands are taken in order.

use super::variable_content::{Effect, VariableContent};
use super::variable_spec::{Change, VariableSpec};
use conform_dialect::ordering::state::VariableKind;
use foldhash::{HashMap, HashMapExt};
use frame_language::Operand;
use serde_json::Value;
use std::borrow::Cow;

/// The most pending changes.
const MAX_PENDING: usize = 64;

/// A state variable during a check.
#[derive(Debug, Clone)]
pub struct Variable {
    kind: VariableKind,
    unobservable: bool,
    certain: VariableContent,
    pending: Vec<(u64, Effect)>,
}

impl Variable {
    /// The variable before the first frame. `argv` is the agent's command line, if known; `commands`: whether the history
    /// holds the host's commands at all.
    pub fn new(spec: &VariableSpec, argv: Option<&[String]>, commands: bool) -> Self {
        let mut start = spec.start.clone();
        for (flag, value) in &spec.argv {
            if let Some(given) = argv.and_then(|argv| flag_value(argv, flag)) {
                start = value.clone().or(given.map(Value::String));
            }
        }
        let unobservable =
            (!commands && spec.from_commands) || (argv.is_none() && !spec.argv.is_empty());
        Variable {
            kind: spec.kind,
            unobservable,
            certain: if unobservable {
                VariableContent::Unknown
            } else {
                VariableContent::new(spec.kind, start)
            },
            pending: Vec::new(),
        }
    }

    /// Whether an immediate change would leave it as it is.
    pub fn is_kept_by(&self, change: &Change<Operand>) -> bool {
        self.certain.is_kept_by(change)
    }

    /// Makes an immediate change.
    pub fn apply(&mut self, effect: Effect) {
        if let (false, VariableContent::Unknown, Effect::Change(change)) =
            (self.unobservable, &self.certain, &effect)
        {
            // These changes show something of an unknown content.
            match change {
                Change::Clear => self.certain = VariableContent::new(self.kind, None),
                Change::Set(_) => self.certain = VariableContent::Value(Value::Null),
                Change::Put(..) | Change::Remove(_) if self.kind == VariableKind::Map => {
                    self.certain = VariableContent::PartOfMap(HashMap::new());
                }
                _ => {}
            }
        }
        self.certain.apply(effect);
    }

    /// Adds a pending change, which command number `command` makes when the agent takes it.
    pub fn defer(&mut self, command: u64, effect: Effect) {
        if matches!(effect, Effect::MakeUnknown) || self.pending.len() == MAX_PENDING {
            self.certain = VariableContent::Unknown;
        } else {
            self.pending.push((command, effect));
        }
    }

    /// Makes the changes of all commands up to number `taken` certain.
    pub fn settle(&mut self, taken: u64) {
        let settled = self
            .pending
            .iter()
            .take_while(|(command, _)| *command <= taken)
            .count();
        let settled: Vec<_> = self.pending.drain(..settled).collect();
        for (_, effect) in settled {
            self.apply(effect);
        }
    }

    /// Every content that it can have after the history so far.
    pub fn possible_contents(&self) -> Cow<'_, [VariableContent]> {
        if self.pending.is_empty() {
            return Cow::Borrowed(std::slice::from_ref(&self.certain));
        }
        let mut contents = vec![self.certain.clone()];
        let mut content = self.certain.clone();
        for (_, effect) in &self.pending {
            content.apply(effect.clone());
            contents.push(content.clone());
        }
        Cow::Owned(contents)
    }
}

/// The value of a command line flag; `Some(None)` for a flag without a value.
fn flag_value(argv: &[String], flag: &str) -> Option<Option<String>> {
    argv.iter()
        .enumerate()
        .find_map(|(i, word)| match word.strip_prefix(flag) {
            Some("") => Some(argv.get(i + 1).cloned()),
            Some(rest) => rest.strip_prefix('=').map(|v| Some(v.to_owned())),
            None => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::frame_pattern::FramePattern;
    use crate::rules::variable_content::MAX_ENTRIES;
    use serde_json::json;

    fn mode(acknowledged: bool) -> VariableSpec {
        VariableSpec {
            name: "mode".into(),
            kind: VariableKind::Value,
            start: Some(json!("default")),
            argv: vec![("--auto".into(), Some(json!("yolo")))],
            changes: Vec::new(),
            acknowledged_by: acknowledged.then(FramePattern::default),
            from_commands: true,
        }
    }

    fn contents(variable: &Variable) -> Vec<Value> {
        variable
            .possible_contents()
            .iter()
            .filter_map(|c| c.to_value().map(Cow::into_owned))
            .collect()
    }

    #[test]
    fn the_command_line_sets_the_start() {
        let argv = ["agent".to_owned(), "--auto".to_owned()];
        assert_eq!(
            contents(&Variable::new(&mode(true), Some(&argv), true)),
            [json!("yolo")]
        );
        assert!(contents(&Variable::new(&mode(true), None, true)).is_empty());
        assert!(contents(&Variable::new(&mode(true), Some(&argv), false)).is_empty());
        let argv = ["--id=x".to_owned(), "--id".to_owned()];
        assert_eq!(flag_value(&argv, "--id"), Some(Some("x".to_owned())));
        assert_eq!(flag_value(&argv[1..], "--id"), Some(None));
    }

    #[test]
    fn a_set_that_grew_too_large_is_unknown() {
        let spec = VariableSpec {
            kind: VariableKind::Set,
            start: None,
            argv: Vec::new(),
            ..mode(false)
        };
        let mut variable = Variable::new(&spec, None, true);
        for n in 0..=MAX_ENTRIES {
            variable.apply(Effect::Change(Change::Add(n.into())));
        }
        assert!(matches!(
            &*variable.possible_contents(),
            [VariableContent::Unknown]
        ));
    }
}
