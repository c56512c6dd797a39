//! The content of a state variable, and how a change alters it.

use super::variable_spec::Change;
use conform_dialect::ordering::state::VariableKind;
use foldhash::{HashMap, HashMapExt, HashSet};
use frame_language::{Operand, canonical};
use serde_json::Value;
use std::borrow::Cow;

/// The most entries of a variable. Beyond them it is unknown, and no rule reports a violation because of it.
pub const MAX_ENTRIES: usize = 65_536;
/// The same of a list, which each change and each condition searches from its start.
pub const MAX_LISTED: usize = 8_192;
/// The most bytes of a joined text.
pub const MAX_TEXT: usize = 64 << 20;

/// The change of a variable by a frame.
#[derive(Debug, Clone)]
pub enum Effect {
    /// This change.
    Change(Change<Value>),
    /// It becomes unknown until it is cleared or set, because a value is missing.
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
    /// Values in order: an array.
    List(Value),
    /// A number.
    Count(u64),
    /// A map of which only these entries are known; `None` is an entry that is not there.
    PartOfMap(HashMap<String, Option<Value>>),
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
            VariableKind::List => VariableContent::List(Value::Array(Vec::new())),
            VariableKind::Count => VariableContent::Count(0),
        }
    }

    /// Whether it is a variable without a value.
    pub fn is_nothing(&self) -> bool {
        matches!(self, VariableContent::Value(Value::Null))
    }

    /// Whether a map has this entry, by its canonical key; `None` if that is not known, or for something else.
    pub(super) fn has_entry(&self, key: &str) -> Option<bool> {
        match self {
            VariableContent::Map(map) => Some(map.contains_key(key)),
            VariableContent::PartOfMap(map) => map.get(key).map(Option::is_some),
            _ => None,
        }
    }

    /// Whether this change would leave it as it is.
    pub(super) fn is_kept_by(&self, change: &Change<Operand>) -> bool {
        match (self, change) {
            (VariableContent::Value(value), Change::Clear) => value.is_null(),
            (VariableContent::Value(value), Change::Set(Operand::Literal(new))) => value == new,
            (VariableContent::Set(set), Change::Clear) => set.is_empty(),
            (VariableContent::Map(map), Change::Clear) => map.is_empty(),
            (VariableContent::List(list), Change::Clear) => {
                list.as_array().is_none_or(Vec::is_empty)
            }
            (VariableContent::Count(n), Change::Clear) => *n == 0,
            _ => false,
        }
    }

    /// The content as one JSON value; a set has no order, so its elements are sorted.
    pub fn to_value(&self) -> Option<Cow<'_, Value>> {
        match self {
            VariableContent::Value(Value::Null)
            | VariableContent::PartOfMap(_)
            | VariableContent::Unknown => None,
            VariableContent::Value(value) | VariableContent::List(value) => {
                Some(Cow::Borrowed(value))
            }
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
            VariableContent::Count(n) => Some(Cow::Owned(Value::from(*n))),
        }
    }

    pub(super) fn apply(&mut self, effect: Effect) {
        let Effect::Change(change) = effect else {
            *self = VariableContent::Unknown;
            return;
        };
        match (&mut *self, change) {
            (VariableContent::Unknown, _) => return,
            (VariableContent::Value(value), Change::Set(new)) => *value = new,
            (VariableContent::Value(value), Change::Clear) => *value = Value::Null,
            (VariableContent::Set(set), Change::Add(item)) => {
                set.insert(canonical(&item));
            }
            (VariableContent::Set(set), Change::Remove(item)) => {
                set.remove(&canonical(&item));
            }
            (VariableContent::Set(set), Change::Clear) => set.clear(),
            (VariableContent::Map(map), Change::Put(key, value)) => {
                map.insert(canonical(&key), value);
            }
            (VariableContent::Map(map), Change::Remove(key)) => {
                map.remove(&canonical(&key));
            }
            (VariableContent::Map(map), Change::Concat(key, Value::String(text))) => {
                let empty = || Value::String(String::new());
                if let Value::String(joined) = map.entry(canonical(&key)).or_insert_with(empty) {
                    joined.push_str(&text);
                    if joined.len() > MAX_TEXT {
                        *self = VariableContent::Unknown;
                        return;
                    }
                }
            }
            (VariableContent::Map(map), Change::Clear) => map.clear(),
            (VariableContent::PartOfMap(map), Change::Put(key, value)) => {
                map.insert(canonical(&key), Some(value));
            }
            (VariableContent::PartOfMap(map), Change::Remove(key)) => {
                map.insert(canonical(&key), None);
            }
            (VariableContent::PartOfMap(map), Change::Concat(key, _)) => {
                map.remove(&canonical(&key));
            }
            (VariableContent::PartOfMap(_), Change::Clear) => {
                *self = VariableContent::Map(HashMap::new());
            }
            (VariableContent::List(Value::Array(list)), Change::Append(item)) => list.push(item),
            (VariableContent::List(Value::Array(list)), Change::Take(item)) => {
                if let Some(at) = list.iter().position(|i| *i == item) {
                    list.remove(at);
                }
            }
            (VariableContent::List(Value::Array(list)), Change::Clear) => list.clear(),
            (VariableContent::Count(n), Change::Increment) => *n += 1,
            (VariableContent::Count(n), Change::Clear) => *n = 0,
            _ => *self = VariableContent::Unknown,
        }
        let is_too_large = match self {
            VariableContent::Set(set) => set.len() > MAX_ENTRIES,
            VariableContent::Map(map) => map.len() > MAX_ENTRIES,
            VariableContent::PartOfMap(map) => map.len() > MAX_ENTRIES,
            VariableContent::List(Value::Array(list)) => list.len() > MAX_LISTED,
            _ => false,
        };
        if is_too_large {
            *self = VariableContent::Unknown;
        }
    }
}
