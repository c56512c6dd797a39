//! The JSON parser: builds a value, and finds duplicate keys in the same pass.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};
use spanned_yaml::Pointer;
use std::cell::RefCell;
use std::fmt;

/// The capacity that each object starts with.
const USUAL_MEMBERS: usize = 7;

/// The most duplicate keys of one line that are listed.
const MAX_DUPLICATES: usize = 8;

/// Parses one JSON text. Of two equal keys the last one counts; `duplicates` gets a JSON Pointer to each, at most [`MAX_DUPLICATES`].
pub(super) fn read(text: &str, duplicates: &mut Vec<String>) -> serde_json::Result<Value> {
    read_nested(text, duplicates, Depth::Usual)
}

/// How deep a text may be nested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Less than 128 levels, which is what most parsers read.
    Usual,
    /// Any: the caller has counted the levels.
    Counted,
}

/// As [`read`], with another limit for the depth.
pub(super) fn read_nested(
    text: &str,
    duplicates: &mut Vec<String>,
    depth: Depth,
) -> serde_json::Result<Value> {
    build(text, duplicates, depth).or_else(|error| {
        let bounded = json_matcher::with_bounded_numbers(text, &error);
        bounded.map_or(Err(error), |text| {
            duplicates.clear();
            build(&text, duplicates, depth)
        })
    })
}

fn build(text: &str, duplicates: &mut Vec<String>, depth: Depth) -> serde_json::Result<Value> {
    let found = RefCell::new(std::mem::take(duplicates));
    let mut json = serde_json::Deserializer::from_str(text);
    if depth == Depth::Counted {
        json.disable_recursion_limit();
    }
    let value = ValueBuilder {
        place: &Pointer::Root,
        duplicates: &found,
    }
    .deserialize(&mut json);
    *duplicates = found.into_inner();
    let value = value?;
    json.end()?;
    Ok(value)
}

#[derive(Clone, Copy)]
struct ValueBuilder<'a> {
    /// On the stack, so a line without duplicate keys has no cost for it.
    place: &'a Pointer<'a>,
    duplicates: &'a RefCell<Vec<String>>,
}

impl ValueBuilder<'_> {
    fn note_duplicate(&self, key: &str) {
        let mut duplicates = self.duplicates.borrow_mut();
        if duplicates.len() < MAX_DUPLICATES {
            let pointer = Pointer::Entry(self.place, key).to_string();
            if !duplicates.contains(&pointer) {
                duplicates.push(pointer);
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueBuilder<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let place = Pointer::Item(self.place, items.len());
            match seq.next_element_seed(ValueBuilder {
                place: &place,
                ..self
            })? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let Some(mut key) = members.next_key::<String>()? else {
            return Ok(Value::Object(Map::new()));
        };
        let mut map = Map::with_capacity(USUAL_MEMBERS);
        loop {
            let place = Pointer::Entry(self.place, &key);
            let value = members.next_value_seed(ValueBuilder {
                place: &place,
                ..self
            })?;
            match map.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    self.note_duplicate(entry.key());
                    entry.insert(value);
                }
            }
            match members.next_key::<String>()? {
                Some(next) => key = next,
                None => return Ok(Value::Object(map)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn duplicates(text: &str) -> (Value, Vec<String>) {
        let mut found = Vec::new();
        let value = read(text, &mut found).unwrap();
        (value, found)
    }

    #[test]
    fn duplicate_keys_are_found_at_any_depth() {
        let (value, found) = duplicates(r#"{"a":[{"b/c":1,"b/c":2}],"a":{"~":1,"~":1,"~":1}}"#);
        assert_eq!(value, json!({"a": {"~": 1}}));
        assert_eq!(found, ["/a/0/b~1c", "/a/~0", "/a"]);
    }

    #[test]
    fn the_list_of_duplicate_keys_is_limited() {
        let text = format!(
            "{{{}\"k\":0}}",
            (0..99)
                .map(|n| format!("\"k{}\":1,", n / 2))
                .collect::<String>()
        );
        assert_eq!(duplicates(&text).1.len(), MAX_DUPLICATES);
    }

    #[test]
    fn integers_of_64_bits_and_doubles_keep_their_value() {
        let text = r#"[18446744073709551615,-9223372036854775808,0.1,5e-324,1.7976931348623157e308,9007199254740993]"#;
        assert_eq!(
            duplicates(text).0.to_string(),
            text.replace("e308", "e+308")
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite", |n| n.is_finite())
                .prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((".*", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_serde_json_writes(value in any_json()) {
            prop_assert_eq!(duplicates(&value.to_string()), (value, vec![]));
        }
    }
}
