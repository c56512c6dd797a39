//! JSON Pointers in rules, with `*` for every element of a list. They are parsed once, when the dialect is loaded.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// Objects with up to this many members are searched one by one, which is faster than their hash index.
const FEW: usize = 12;

/// A JSON Pointer. `*` in it means every element of a list: the value is then the list of the values found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPointer {
    /// The part before the first `*`, as written.
    plain: String,
    /// The steps to the value, or to the list; `None` if the text is not a pointer, which finds nothing.
    steps: Option<Vec<PointerStep>>,
    /// The pointer into each element of the list.
    each: Option<Box<JsonPointer>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PointerStep {
    name: String,
    /// The name as an index into a list.
    index: Option<usize>,
}

impl JsonPointer {
    /// Parses a pointer.
    pub fn new(text: &str) -> Self {
        let (path, each) = match text.split_once("/*") {
            Some((list, rest)) => (list, Some(Box::new(JsonPointer::new(rest)))),
            None => (text, None),
        };
        let steps = match path.split_once('/') {
            Some(("", rest)) => Some(rest.split('/').map(PointerStep::new).collect()),
            _ => path.is_empty().then(Vec::new),
        };
        JsonPointer {
            plain: path.to_owned(),
            steps,
            each,
        }
    }

    /// The value that the part before the first `*` points to.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.steps
            .as_ref()?
            .iter()
            .try_fold(value, |value, step| match value {
                Value::Object(members) => member(members, &step.name),
                Value::Array(items) => items.get(step.index?),
                _ => None,
            })
    }

    /// Whether it points to `null`.
    pub(crate) fn is_null(&self, value: &Value) -> bool {
        self.each.is_none() && self.find(value).is_some_and(Value::is_null)
    }

    /// The value that the whole pointer points to; `null` counts as absent.
    pub fn resolve<'v>(&self, value: Cow<'v, Value>) -> Option<Cow<'v, Value>> {
        if let Some(rest) = &self.each {
            let list = self.find(&value)?.as_array()?;
            let each = list.iter().filter_map(|item| {
                let found = rest.resolve(Cow::Borrowed(item))?;
                Some(found.into_owned())
            });
            return Some(Cow::Owned(each.collect()));
        }
        let found = match value {
            Cow::Borrowed(value) => self.find(value).map(Cow::Borrowed),
            Cow::Owned(value) => self.find(&value).cloned().map(Cow::Owned),
        };
        found.filter(|v| !v.is_null())
    }

    /// The part before the first `*`, as written.
    pub fn plain(&self) -> &str {
        &self.plain
    }
}

impl PointerStep {
    fn new(written: &str) -> Self {
        let name = spanned_yaml::unescape_step(written);
        let plain = name == "0" || !name.starts_with(['0', '+']);
        let index = name.parse().ok().filter(|_| plain);
        PointerStep { name, index }
    }
}

/// The member of this name.
pub(super) fn member<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if members.len() > FEW {
        return members.get(name);
    }
    let mut all = members.iter();
    all.find_map(|(own, value)| (own == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_star_means_every_element_that_has_the_member() {
        let message = json!({ "content": [{ "text": "a" }, { "id": "t" }, { "text": "b" }] });
        let found = |pointer| {
            let found = JsonPointer::new(pointer).resolve(Cow::Borrowed(&message));
            found.map(Cow::into_owned)
        };

        assert_eq!(found("/content/*/text"), Some(json!(["a", "b"])));
        assert_eq!(found("/none/*/text"), None);
        let nested = json!({ "messages": [message.clone(), {}, message] });
        let nested = JsonPointer::new("/messages/*/content/*/id").resolve(Cow::Borrowed(&nested));
        assert_eq!(nested.map(Cow::into_owned), Some(json!([["t"], ["t"]])));
    }

    #[test]
    fn the_part_before_a_star_is_kept_as_written() {
        for (pointer, plain) in [("", ""), ("/a~1b/0/~0", "/a~1b/0/~0"), ("/a/*/b", "/a")] {
            assert_eq!(JsonPointer::new(pointer).plain(), plain);
        }
    }

    proptest! {
        #[test]
        fn it_finds_what_serde_json_finds(
            steps in proptest::collection::vec("a|b|~0|~1|0|1|01|\\+1||many", 0..4),
            slash in any::<bool>(),
        ) {
            let wide: Map<String, Value> = (0..20).map(|n| (format!("{n}"), json!({ "a": n }))).collect();
            let value = json!({
                "a": [{ "b": 1, "": 2 }, [{ "/": null }, 3]], "b": { "0": { "~": 4 }, "01": 5 }, "": { "a": 6 }, "many": wide, "1": 7, "+1": 8,
            });
            let text = format!("{}{}", if slash { "/" } else { "" }, steps.join("/"));
            prop_assert_eq!(JsonPointer::new(&text).find(&value), value.pointer(&text));
        }
    }
}
