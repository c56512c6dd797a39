//! Pointers into JSON values, with `*`, `**` and negative indices. They are parsed once, when a dialect is loaded.

use indexmap::IndexSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use spanned_yaml::{escape_step, unescape_step};
use std::borrow::Cow;

/// Objects with up to this many members are searched one by one, which is faster than their hash index.
const FEW: usize = 12;

/// A JSON Pointer to one or several places: `*` is every element or member, `**` any number of steps down, and a negative number counts
/// from the end of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, with = "String")]
pub struct Pointer {
    text: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    /// A member, or an element by its index.
    Name(String, Option<usize>),
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
    /// It does not begin with `/`; the message states what to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = text.split('/');
        match steps.next() {
            None | Some("") => Ok(Pointer {
                text: text.to_owned(),
                steps: steps.map(step).collect(),
            }),
            Some(_) => Err(format!("a place is a JSON Pointer: write `/{text}`")),
        }
    }

    /// Whether it points to the value as a whole.
    pub fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    /// Every value, at any depth.
    pub fn anywhere() -> Self {
        Pointer {
            text: "/**".to_owned(),
            steps: vec![Step::Deep],
        }
    }

    /// The part before the first `*`, as written.
    pub fn plain(&self) -> &str {
        self.text.split("/*").next().unwrap_or_default()
    }

    /// The value at the first place.
    pub fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.pointer(self.places(value).first()?)
    }

    /// The value that the part before the first `*` points to.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        find(&self.steps, value).map(|(found, _)| found)
    }

    /// Whether it points to `null`.
    pub(crate) fn is_null(&self, value: &Value) -> bool {
        let found = find(&self.steps, value);
        found.is_some_and(|(found, rest)| found.is_null() && rest.is_empty())
    }

    /// The value that the whole pointer points to: after a `*`, the list of the values found. `null` counts as absent.
    pub fn resolve<'v>(&self, value: Cow<'v, Value>) -> Option<Cow<'v, Value>> {
        match value {
            Cow::Borrowed(value) => resolve(&self.steps, value),
            Cow::Owned(value) => resolve(&self.steps, &value).map(|v| Cow::Owned(v.into_owned())),
        }
    }

    /// The places in a value, as plain JSON Pointers: a value before the values in it.
    #[must_use]
    pub fn places(&self, value: &Value) -> Vec<String> {
        let mut found = IndexSet::new();
        walk(&self.steps, value, String::new(), &mut found);
        found.into_iter().collect()
    }

    /// The places at which a value can be set: those that are there, members that objects can be given, and the end of a list (`/-`).
    /// After `**` no member is added.
    pub fn settable_places(&self, value: &Value) -> Vec<String> {
        let Some((Step::Name(name, _), above)) = self.steps.split_last() else {
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

/// The element after the last one of a list (RFC 6901, section 4).
const END: &str = "-";

fn step(text: &str) -> Step {
    let from_end = text.strip_prefix('-').and_then(|n| n.parse().ok());
    match (text, from_end) {
        ("*", _) => Step::Each,
        ("**", _) => Step::Deep,
        (_, Some(from_end)) if from_end > 0 => Step::FromEnd(from_end),
        _ => {
            let name = unescape_step(text);
            let plain = name == "0" || !name.starts_with(['0', '+']);
            let index = name.parse().ok().filter(|_| plain);
            Step::Name(name, index)
        }
    }
}

impl Step {
    /// What it leads to, if that is one value.
    fn child<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (Step::Name(name, _), Value::Object(members)) => member(members, name),
            (Step::Name(_, index), Value::Array(items)) => items.get((*index)?),
            (Step::FromEnd(n), Value::Array(items)) => items.get(items.len().checked_sub(*n)?),
            _ => None,
        }
    }
}

/// The value before the first `*`, and the steps from there.
fn find<'s, 'v>(steps: &'s [Step], value: &'v Value) -> Option<(&'v Value, &'s [Step])> {
    let mut found = value;
    for (n, step) in steps.iter().enumerate() {
        if matches!(step, Step::Each | Step::Deep) {
            return Some((found, &steps[n..]));
        }
        found = step.child(found)?;
    }
    Some((found, &[]))
}

fn resolve<'v>(steps: &[Step], value: &'v Value) -> Option<Cow<'v, Value>> {
    let (found, rest) = find(steps, value)?;
    let each: Vec<&Value> = match (rest.first(), found) {
        (None, found) => return (!found.is_null()).then_some(Cow::Borrowed(found)),
        (Some(Step::Each), Value::Array(items)) => items.iter().collect(),
        (Some(Step::Each), Value::Object(members)) => members.values().collect(),
        (Some(Step::Each), _) => return None,
        _ => {
            let mut places = IndexSet::new();
            walk(rest, found, String::new(), &mut places);
            let each = places.iter().filter_map(|place| found.pointer(place));
            return Some(Cow::Owned(each.cloned().collect()));
        }
    };
    let each = each.into_iter();
    let each = each.filter_map(|item| resolve(&rest[1..], item).map(Cow::into_owned));
    Some(Cow::Owned(each.collect()))
}

/// The member of this name.
pub(crate) fn member<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if members.len() > FEW {
        return members.get(name);
    }
    let mut all = members.iter();
    all.find_map(|(own, value)| (own == name).then_some(value))
}

fn walk(steps: &[Step], value: &Value, at: String, found: &mut IndexSet<String>) {
    let Some((first, rest)) = steps.split_first() else {
        found.insert(at);
        return;
    };
    match first {
        Step::Name(..) | Step::FromEnd(_) => {
            if let Some(next) = first.child(value) {
                let below = match (first, value) {
                    (Step::Name(name, _), _) => escape_step(name),
                    (Step::FromEnd(n), Value::Array(items)) => (items.len() - n).to_string(),
                    _ => return,
                };
                walk(rest, next, format!("{at}/{below}"), found);
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
pub fn parent(place: &str) -> Option<(&str, String)> {
    let (above, step) = place.rsplit_once('/')?;
    Some((above, unescape_step(step)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
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

    #[test]
    fn a_star_means_every_element_that_has_the_member() {
        let message = json!({ "content": [{ "text": "a" }, { "id": "t" }, { "text": "b" }] });
        let found = |pointer| {
            let found = Pointer::parse(pointer)
                .unwrap()
                .resolve(Cow::Borrowed(&message));
            found.map(Cow::into_owned)
        };

        assert_eq!(found("/content/*/text"), Some(json!(["a", "b"])));
        assert_eq!(found("/none/*/text"), None);
        let nested = json!({ "messages": [message.clone(), {}, message] });
        let nested = Pointer::parse("/messages/*/content/*/id")
            .unwrap()
            .resolve(Cow::Borrowed(&nested));
        assert_eq!(nested.map(Cow::into_owned), Some(json!([["t"], ["t"]])));
    }

    #[test]
    fn the_part_before_a_star_is_kept_as_written() {
        for (pointer, plain) in [("", ""), ("/a~1b/0/~0", "/a~1b/0/~0"), ("/a/*/b", "/a")] {
            assert_eq!(Pointer::parse(pointer).unwrap().plain(), plain);
        }
    }

    proptest! {
        #[test]
        fn it_finds_what_serde_json_finds(
            steps in proptest::collection::vec("a|b|~0|~1|0|1|01|\\+1||many", 0..4),
        ) {
            let wide: Map<String, Value> = (0..20).map(|n| (format!("{n}"), json!({ "a": n }))).collect();
            let value = json!({
                "a": [{ "b": 1, "": 2 }, [{ "/": null }, 3]], "b": { "0": { "~": 4 }, "01": 5 }, "": { "a": 6 }, "many": wide, "1": 7, "+1": 8,
            });
            let text: String = steps.iter().map(|step| format!("/{step}")).collect();
            prop_assert_eq!(Pointer::parse(&text).unwrap().find(&value), value.pointer(&text));
        }
    }
}
