//! State variables of rules: a value, a set, a map, a list or a count, changed by frames.
//!
//! A command that changes what the *agent* holds (`acknowledged_by`) makes a pending change, until the agent shows that it took the command.
//! Until then the variable has several possible contents: one for every prefix of the pending changes, because commands are taken in order.

use super::condition::Operand;
use super::frame_pattern::FramePattern;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The most entries of a variable. Beyond them it is unknown, and no rule reports a violation because of it.
pub const MAX_ENTRIES: usize = 65_536;
/// The most bytes of a joined text.
pub const MAX_TEXT: usize = 64 << 20;
/// The most pending changes.
const MAX_PENDING: usize = 64;

/// The kind of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// One JSON value, or nothing yet.
    Value,
    /// Values, each once.
    Set,
    /// Values by key.
    Map,
    /// Values in order.
    List,
    /// A number that goes up.
    Count,
}

/// How a frame changes a variable.
#[derive(Debug, Clone)]
pub enum Change {
    /// Back to nothing.
    Clear,
    /// Becomes this value.
    Set(Operand),
    /// Gains this element.
    Add(Operand),
    /// Loses this element or key.
    Remove(Operand),
    /// Holds this value under this key.
    Put(Operand, Operand),
    /// Gains this element at the end.
    Append(Operand),
    /// Loses its first element like this one.
    Take(Operand),
    /// The text under this key gains this text at the end.
    Concat(Operand, Operand),
    /// One more.
    Increment,
}

/// A change, and when it happens.
#[derive(Debug, Clone)]
pub struct DeclaredChange {
    /// The frames that make it.
    pub on: FramePattern,
    /// The change.
    pub change: Change,
    /// The list in the frame for whose elements it is made, one by one; `None` if it is made once.
    pub for_each: Option<Operand>,
}

/// A variable as declared.
#[derive(Debug, Clone)]
pub struct VariableSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: VariableKind,
    /// Its value at the start; nothing if `None`.
    pub start: Option<Value>,
    /// Flags of the agent's command line that replace the start: the flag, and the value (`None`: the word behind the flag).
    pub argv: Vec<(String, Option<Value>)>,
    /// What changes it, in order.
    pub changes: Vec<DeclaredChange>,
    /// Frames that make the changes of the commands that were taken certain; `None` if all changes are immediate.
    pub acknowledged_by: Option<FramePattern>,
    /// Whether commands change it.
    pub from_commands: bool,
}

/// A change with the values of its operands.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Back to nothing.
    Clear,
    /// Becomes this value.
    Set(Value),
    /// Gains this element.
    Add(String),
    /// Loses this element or key.
    Remove(String),
    /// Holds this value under this key.
    Put(String, Value),
    /// Gains this element at the end.
    Append(Value),
    /// Loses its first element like this one.
    Take(Value),
    /// The text under this key gains this text.
    Concat(String, String),
    /// One more.
    Increment,
    /// No change, because a key or value is missing.
    Nothing,
    /// The variable becomes unknown until it is cleared or set, because a value is missing.
    MakeUnknown,
}

/// The content of a variable.
#[derive(Debug, Clone)]
pub enum VariableContent {
    /// One value; null means none.
    Value(Value),
    /// Elements, in their canonical form.
    Set(HashSet<String>),
    /// Values by canonical key.
    Map(HashMap<String, Value>),
    /// Values in order.
    List(Vec<Value>),
    /// A number.
    Count(u64),
    /// Unknown: too large, or changed by frames that the recording does not show.
    Unknown,
}

impl VariableContent {
    fn new(kind: VariableKind, start: Option<Value>) -> Self {
        match kind {
            VariableKind::Value => VariableContent::Value(start.unwrap_or(Value::Null)),
            VariableKind::Set => {
                let items = start.as_ref().and_then(Value::as_array);
                VariableContent::Set(items.into_iter().flatten().map(canonical).collect())
            }
            VariableKind::Map => VariableContent::Map(HashMap::new()),
            VariableKind::List => VariableContent::List(Vec::new()),
            VariableKind::Count => VariableContent::Count(0),
        }
    }

    /// Whether it is a variable without a value.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, VariableContent::Value(Value::Null))
    }

    /// Whether this change would leave it as it is.
    fn is_kept_by(&self, change: &Change) -> bool {
        match (self, change) {
            (VariableContent::Value(value), Change::Clear) => value.is_null(),
            (VariableContent::Value(value), Change::Set(Operand::Literal(new))) => value == new,
            (VariableContent::Set(set), Change::Clear) => set.is_empty(),
            (VariableContent::Map(map), Change::Clear) => map.is_empty(),
            (VariableContent::List(list), Change::Clear) => list.is_empty(),
            (VariableContent::Count(n), Change::Clear) => *n == 0,
            _ => false,
        }
    }

    /// The content as one JSON value; a set has no order, so its elements are sorted.
    #[must_use]
    pub fn to_value(&self) -> Option<Cow<'_, Value>> {
        match self {
            VariableContent::Value(Value::Null) | VariableContent::Unknown => None,
            VariableContent::Value(value) => Some(Cow::Borrowed(value)),
            VariableContent::Set(set) => {
                let mut items: Vec<_> = set.iter().collect();
                items.sort();
                let parsed = items
                    .into_iter()
                    .filter_map(|t| serde_json::from_str(t).ok());
                Some(Cow::Owned(Value::Array(parsed.collect())))
            }
            VariableContent::Map(map) => {
                let mut members: Vec<_> = map.iter().collect();
                members.sort_by_key(|(k, _)| *k);
                Some(Cow::Owned(Value::Array(
                    members.into_iter().map(|(_, v)| v.clone()).collect(),
                )))
            }
            VariableContent::List(list) => Some(Cow::Owned(Value::Array(list.clone()))),
            VariableContent::Count(n) => Some(Cow::Owned(Value::from(*n))),
        }
    }

    fn apply(&mut self, effect: Effect) {
        match (&mut *self, effect) {
            (VariableContent::Unknown, _) | (_, Effect::Nothing) => return,
            (VariableContent::Value(value), Effect::Set(new)) => *value = new,
            (VariableContent::Value(value), Effect::Clear) => *value = Value::Null,
            (VariableContent::Set(set), Effect::Add(item)) => {
                set.insert(item);
            }
            (VariableContent::Set(set), Effect::Remove(item)) => {
                set.remove(&item);
            }
            (VariableContent::Set(set), Effect::Clear) => set.clear(),
            (VariableContent::Map(map), Effect::Put(key, value)) => {
                map.insert(key, value);
            }
            (VariableContent::Map(map), Effect::Remove(key)) => {
                map.remove(&key);
            }
            (VariableContent::Map(map), Effect::Concat(key, text)) => {
                let empty = || Value::String(String::new());
                if let Value::String(joined) = map.entry(key).or_insert_with(empty) {
                    joined.push_str(&text);
                    if joined.len() > MAX_TEXT {
                        *self = VariableContent::Unknown;
                        return;
                    }
                }
            }
            (VariableContent::Map(map), Effect::Clear) => map.clear(),
            (VariableContent::List(list), Effect::Append(item)) => list.push(item),
            (VariableContent::List(list), Effect::Take(item)) => {
                if let Some(at) = list.iter().position(|i| *i == item) {
                    list.remove(at);
                }
            }
            (VariableContent::List(list), Effect::Clear) => list.clear(),
            (VariableContent::Count(n), Effect::Increment) => *n += 1,
            (VariableContent::Count(n), Effect::Clear) => *n = 0,
            _ => *self = VariableContent::Unknown,
        }
        let is_too_large = match self {
            VariableContent::Set(set) => set.len() > MAX_ENTRIES,
            VariableContent::Map(map) => map.len() > MAX_ENTRIES,
            VariableContent::List(list) => list.len() > MAX_ENTRIES,
            _ => false,
        };
        if is_too_large {
            *self = VariableContent::Unknown;
        }
    }
}

/// A state variable during a check.
#[derive(Debug, Clone)]
pub struct Variable {
    kind: VariableKind,
    unobservable: bool,
    certain: VariableContent,
    pending: Vec<(u64, Effect)>,
}

impl Variable {
    /// The variable before the first frame. `argv` is the agent's command line, if known; `commands` says whether the history
    /// holds the host's commands at all.
    #[must_use]
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
    #[must_use]
    pub fn is_kept_by(&self, change: &Change) -> bool {
        self.certain.is_kept_by(change)
    }

    /// Makes an immediate change.
    pub fn apply(&mut self, effect: Effect) {
        match (effect, &self.certain) {
            (Effect::MakeUnknown, _) => self.certain = VariableContent::Unknown,
            (Effect::Clear, VariableContent::Unknown) if !self.unobservable => {
                self.certain = VariableContent::new(self.kind, None);
            }
            (Effect::Set(value), VariableContent::Unknown) if !self.unobservable => {
                self.certain = VariableContent::Value(value);
            }
            (effect, _) => self.certain.apply(effect),
        }
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
    #[must_use]
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

/// The canonical text of a value, by which it is an element of a set or a key of a map.
#[must_use]
pub fn canonical(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => ["\"", text, "\""].concat(),
        _ => value.to_string(),
    }
}

/// Whether JSON needs no escapes for a text.
fn is_plain(text: &str) -> bool {
    !text
        .bytes()
        .any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_deferred_change_is_possible_until_it_is_settled() {
        let mut variable = Variable::new(&mode(true), Some(&[]), true);
        variable.defer(3, Effect::Set(json!("yolo")));
        variable.defer(5, Effect::Set(json!("default")));
        assert_eq!(
            contents(&variable),
            [json!("default"), json!("yolo"), json!("default")]
        );
        variable.settle(3);
        assert_eq!(contents(&variable), [json!("yolo"), json!("default")]);
        variable.settle(9);
        assert_eq!(contents(&variable), [json!("default")]);
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
            variable.apply(Effect::Add(n.to_string()));
        }
        assert!(matches!(
            &*variable.possible_contents(),
            [VariableContent::Unknown]
        ));
    }
}
