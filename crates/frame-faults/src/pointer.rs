//! Pointers to several places in a value: a JSON Pointer with `*`, `**` and negative indices.

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{escape_step, unescape_step};

/// A pointer to any number of places in a value: `*` is every element or member, `**` any number of steps down, and a negative number
/// counts from the end of a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct Pointer(#[schemars(with = "String")] Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    /// A member, or an element by its index.
    Name(String),
    /// An element, counted from the end; 1 is the last.
    FromEnd(usize),
    /// Every element or member.
    Each,
    /// Any number of steps down, also none.
    Deep,
}

impl Pointer {
    /// Reads a pointer.
    ///
    /// # Errors
    /// It does not begin with `/`; the message says what to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Pointer(Vec::new()));
        }
        let Some(steps) = text.strip_prefix('/') else {
            return Err(format!("a place is a JSON Pointer: write `/{text}`"));
        };
        Ok(Pointer(steps.split('/').map(step).collect()))
    }

    /// Whether it points to the value as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Every value, at any depth.
    pub(crate) fn anywhere() -> Self {
        Pointer(vec![Step::Deep])
    }

    /// The places in a value, as JSON Pointers: a value before the values in it.
    #[must_use]
    pub fn places(&self, value: &Value) -> Vec<String> {
        let mut found = IndexSet::new();
        walk(&self.0, value, String::new(), &mut found);
        found.into_iter().collect()
    }

    /// The value at the first place.
    pub(crate) fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.pointer(self.places(value).first()?)
    }

    /// The places at which a value can be set: those that are there, members that objects can be given, and the end of a list (`/-`).
    /// After `**` no member is added.
    pub(crate) fn settable_places(&self, value: &Value) -> Vec<String> {
        let Some((Step::Name(name), above)) = self.0.split_last() else {
            return self.places(value);
        };
        if above.last() == Some(&Step::Deep) {
            return self.places(value);
        }
        let mut parents = IndexSet::new();
        walk(above, value, String::new(), &mut parents);
        let place = |parent: String| {
            let list = value.pointer(&parent).and_then(Value::as_array);
            if let (END, Some(list)) = (&**name, list) {
                return Some(format!("{parent}/{}", list.len()));
            }
            let place = format!("{parent}/{}", escape_step(name));
            let is_object = value.pointer(&parent).is_some_and(Value::is_object);
            (is_object || value.pointer(&place).is_some()).then_some(place)
        };
        parents.into_iter().filter_map(place).collect()
    }
}

impl TryFrom<String> for Pointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Pointer::parse(&text)
    }
}

/// The element behind the last one of a list (RFC 6901, section 4).
const END: &str = "-";

fn step(text: &str) -> Step {
    let from_end = text.strip_prefix('-').and_then(|n| n.parse().ok());
    match (text, from_end) {
        ("*", _) => Step::Each,
        ("**", _) => Step::Deep,
        (_, Some(from_end)) if from_end > 0 => Step::FromEnd(from_end),
        _ => Step::Name(unescape_step(text)),
    }
}

fn walk(steps: &[Step], value: &Value, at: String, found: &mut IndexSet<String>) {
    let Some((first, rest)) = steps.split_first() else {
        found.insert(at);
        return;
    };
    match first {
        Step::Name(name) => {
            let below = format!("/{}", escape_step(name));
            if let Some(next) = value.pointer(&below) {
                walk(rest, next, at + &below, found);
            }
        }
        Step::FromEnd(from_end) => {
            let index = value
                .as_array()
                .and_then(|list| list.len().checked_sub(*from_end));
            if let Some(index) = index {
                walk(rest, &value[index], format!("{at}/{index}"), found);
            }
        }
        Step::Each => {
            for (below, next) in children(value) {
                walk(rest, next, format!("{at}/{below}"), found);
            }
        }
        Step::Deep => {
            walk(rest, value, at.clone(), found);
            for (below, next) in children(value) {
                walk(steps, next, format!("{at}/{below}"), found);
            }
        }
    }
}

/// The elements or members of a value, each with its step of a pointer.
fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(n, item)| (n.to_string(), item)).collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, one)| (escape_step(name), one))
            .collect(),
        _ => Vec::new(),
    }
}

/// The parent of a place and the step from it; `None` for the whole value.
pub(crate) fn parent(place: &str) -> Option<(&str, String)> {
    let (above, step) = place.rsplit_once('/')?;
    Some((above, unescape_step(step)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn places(pointer: &str, value: &Value) -> Vec<String> {
        Pointer::parse(pointer).unwrap().places(value)
    }

    #[test]
    fn a_pointer_finds_each_place_once() {
        let value = json!({ "a": [{ "b": 1 }, { "b": { "b": 2 } }], "x/y": 0 });
        let cases: &[(&str, &[&str])] = &[
            ("", &[""]),
            ("/a/1/b", &["/a/1/b"]),
            ("/a/*/b", &["/a/0/b", "/a/1/b"]),
            ("/a/-1", &["/a/1"]),
            ("/a/-3", &[]),
            ("/**/b", &["/a/0/b", "/a/1/b", "/a/1/b/b"]),
            ("/**/a/**/b", &["/a/0/b", "/a/1/b", "/a/1/b/b"]),
            ("/x~1y", &["/x~1y"]),
            ("/none/*", &[]),
        ];
        for (pointer, expected) in cases {
            assert_eq!(places(pointer, &value), *expected, "{pointer}");
        }
    }

    #[test]
    fn a_member_can_be_added_where_its_object_is() {
        let value = json!({ "a": [{}, { "b": 1 }, 7], "n": 1 });
        let settable = |pointer: &str| Pointer::parse(pointer).unwrap().settable_places(&value);

        assert_eq!(settable("/new"), ["/new"]);
        assert_eq!(settable("/a/*/b"), ["/a/0/b", "/a/1/b"]);
        assert_eq!(settable("/n/b"), [""; 0]);
        assert_eq!(settable("/a/-"), ["/a/3"]);
        assert_eq!(settable("/**/b"), ["/a/1/b"]);
    }

    #[test]
    fn a_place_without_a_slash_is_refused() {
        assert_eq!(
            Pointer::parse("text").unwrap_err(),
            "a place is a JSON Pointer: write `/text`"
        );
    }
}
