//! The content of a state variable, and how a change alters it.

use super::condition::Operand;
use super::variable_spec::Change;
use conform_dialect::ordering::state::VariableKind;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The most entries of a variable. Beyond them it is unknown, and no rule reports a violation because of it.
pub const MAX_ENTRIES: usize = 65_536;
/// The most bytes of a joined text.
pub const MAX_TEXT: usize = 64 << 20;

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
    pub(super) fn new(kind: VariableKind, start: Option<Value>) -> Self {
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
    pub(super) fn is_kept_by(&self, change: &Change) -> bool {
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

    pub(super) fn apply(&mut self, effect: Effect) {
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
