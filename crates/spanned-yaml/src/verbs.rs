//! Maps that are identified by a key: exactly one verb of several, such as that of a step or the form of a rule, next to plain keys.
//!
//! The verbs are the variants of an enum, the plain keys the fields of a struct, so their names are in one place.

use crate::error::{Error, all_or_mistakes};
use crate::node::{Key, Kind, Node};
use crate::recover::decode_all;
use crate::suggest::unknown;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::Error as Unused;
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::cell::Cell;
use std::marker::PhantomData;

/// Verbs with their keys.
pub type Verbs<V> = Vec<(Key, V)>;

/// The words that a type is written with, in their order: the variants of an enum, or the fields of a struct. With `names[one as usize]`
/// a plain variant has its own.
pub fn names_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let names = Cell::new([].as_slice());
    // It stops before it has a value: only the names are asked for.
    drop(T::deserialize(NamesOnly(&names)));
    names.get()
}

/// Decodes a map with exactly one verb of `V`, next to the keys of `C`. `what` begins the message of a map with none or with several: `a step`.
///
/// # Errors
/// Every mistake, at its place.
pub fn decode_verb<C: DeserializeOwned, V: DeserializeOwned>(
    node: &Node,
    what: &str,
) -> Result<(C, Key, V), Vec<Error>> {
    let verbs = names_of::<V>();
    let mut errors = unknown_keys(node, &[names_of::<C>(), verbs]);
    let given: Vec<&Key> = keys(node).filter(|key| is_in(verbs, key)).collect();
    let wrong = match given.as_slice() {
        // An unknown key may be the verb that is missing.
        [] if node.as_map().is_none() || !errors.is_empty() => None,
        [] => Some((node.span(), "none".to_owned())),
        [_] => None,
        [_, second, ..] => {
            let given: Vec<_> = given.iter().map(|key| format!("`{}`", key.name)).collect();
            Some((second.span, given.join(" and ")))
        }
    };
    if let Some((span, given)) = wrong {
        let message = format!(
            "{what} has exactly one of {}; this one has {given}",
            verbs.join(", ")
        );
        errors.push(node.error_at(span, message));
    }
    let decoded = take_verbs::<V>(node).and_then(|(verbs, rest)| Ok((verbs, decode_all(&rest)?)));
    let known: Vec<_> = errors.iter().map(|error| error.span).collect();
    match decoded {
        Ok((mut verbs, common)) if errors.is_empty() => match verbs.pop() {
            Some((key, verb)) => Ok((common, key, verb)),
            None => Err(vec![node.error(format!("{what} is a map"))]),
        },
        decoded => {
            let mistakes = decoded.err().into_iter().flatten();
            errors.extend(mistakes.filter(|mistake| !known.contains(&mistake.span)));
            Err(errors)
        }
    }
}

/// The verbs of a map, decoded, in the order of the enum's variants, and the map without them.
///
/// # Errors
/// Every mistake in the verbs, at its place.
pub fn take_verbs<V: DeserializeOwned>(node: &Node) -> Result<(Verbs<V>, Node), Vec<Error>> {
    let names = names_of::<V>();
    let given = names.iter().filter_map(|name| node.entry(name));
    let verbs = all_or_mistakes(given.map(|(key, value)| {
        let verb = Kind::Map(vec![(key.clone(), value.clone())]);
        Ok((key.clone(), decode_all(&node.with_kind(verb))?))
    }))?;
    let rest = match node.as_map() {
        Some(entries) => {
            let rest = entries.iter().filter(|(key, _)| !is_in(names, key));
            node.with_kind(Kind::Map(rest.cloned().collect()))
        }
        None => node.clone(),
    };
    Ok((verbs, rest))
}

/// An error for each key of a map that is in none of these lists.
pub fn unknown_keys(node: &Node, known: &[&[&str]]) -> Vec<Error> {
    let is_known = |key: &&Key| known.iter().any(|names| is_in(names, key));
    let unknown_keys = keys(node).filter(|key| !is_known(key));
    unknown_keys
        .map(|key| {
            let known = known.iter().copied().flatten().copied();
            node.error_at(key.span, unknown("key", &key.name, known))
        })
        .collect()
}

/// An error for each key of a map that is in a table of former keys, with the table's text about it.
pub fn former_keys(node: &Node, former: &[(&str, &str)]) -> Vec<Error> {
    let said = |key: &Key| former.iter().find(|(name, _)| *name == key.name);
    let found = keys(node).filter_map(|key| Some((key, said(key)?)));
    found
        .map(|(key, (_, message))| node.error_at(key.span, *message))
        .collect()
}

fn keys(node: &Node) -> impl Iterator<Item = &Key> {
    node.as_map().into_iter().flatten().map(|(key, _)| key)
}

fn is_in(names: &[&str], key: &Key) -> bool {
    names.contains(&key.name.as_str())
}

/// A deserializer that only takes the names of what it should decode.
struct NamesOnly<'n>(&'n Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for NamesOnly<'_> {
    type Error = Unused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unused> {
        Err(de::Error::custom("it has no names"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unused> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unused> {
        self.0.set(variants);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The JSON Schema of a map with the keys of `C` and verbs of `V`. `C` may have verbs itself.
#[derive(Debug)]
pub struct WithVerbs<C, V>(PhantomData<(C, V)>);

impl<C: JsonSchema, V: JsonSchema> JsonSchema for WithVerbs<C, V> {
    fn schema_name() -> Cow<'static, str> {
        C::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{} with {}", C::schema_id(), V::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = C::json_schema(generator);
        let verbs = V::json_schema(generator);
        let known = schema.ensure_object().entry("properties");
        if let Some(known) = known.or_insert_with(|| json!({})).as_object_mut() {
            let alternatives = verbs.get("oneOf").and_then(Value::as_array);
            alternatives
                .into_iter()
                .flatten()
                .for_each(|one| add_verb(one, known));
        }
        schema
    }
}

/// Adds one variant of an enum: a map with one key, or a word.
fn add_verb(variant: &Value, known: &mut Map<String, Value>) {
    let description = &variant["description"];
    for (name, content) in variant["properties"].as_object().into_iter().flatten() {
        let mut content = match content {
            Value::Object(content) => content.clone(),
            _ => Map::new(),
        };
        if !description.is_null() {
            content.insert("description".to_owned(), description.clone());
        }
        known.insert(name.clone(), content.into());
    }
    if let Some(name) = variant["const"].as_str() {
        let word = json!({ "type": "null", "description": description });
        known.insert(name.to_owned(), word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_yaml;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    #[derive(Default)]
    struct Common {
        within: Option<u8>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Verb {
        /// Says a text.
        Say(String),
        /// Goes.
        GoAway,
        At {
            x: u8,
            y: u8,
        },
    }

    fn decoded(text: &str) -> Result<(Option<u8>, Verb), String> {
        let node = load_yaml("f.yaml", text).expect("good YAML");
        match decode_verb::<Common, Verb>(&node, "a step") {
            Ok((common, _, verb)) => Ok((common.within, verb)),
            Err(errors) => {
                let errors: Vec<_> = errors.iter().map(Error::headline).collect();
                Err(errors.join("\n"))
            }
        }
    }

    /// Maps, each with its error on the next line.
    const MISTAKES: &str = r#"
{within: 1}
    1:1: a step has exactly one of say, go_away, at; this one has none
{say: a, go_away: }
    1:10: a step has exactly one of say, go_away, at; this one has `say` and `go_away`
{sya: a, say: b}
    1:2: unknown key `sya`; did you mean `say`? (one of within, say, go_away, at)
{say: [a]}
    1:7: expected text, found a list
{go_away: 1}
    1:11: `go_away` takes no value
{within: a, say: b}
    1:10: expected a whole number from 0 to 255, found the text "a"
[]
    1:1: expected a map, found a list
"#;

    #[test]
    fn a_map_has_one_verb_beside_its_keys() {
        assert_eq!(
            decoded("{within: 1, say: a}"),
            Ok((Some(1), Verb::Say("a".into())))
        );
        assert_eq!(decoded("go_away: "), Ok((None, Verb::GoAway)));
        let two = (
            "{at: {x: a, y: b}}",
            "1:10: expected a whole number from 0 to 255, found the text \"a\"\nf.yaml:1:16: expected a whole number from 0 to 255, found the text \"b\"",
        );
        let lines: Vec<&str> = MISTAKES.trim().lines().collect();
        let pairs = lines.chunks(2).map(|pair| (pair[0], pair[1].trim()));
        for (text, message) in pairs.chain([two]) {
            assert_eq!(decoded(text), Err(format!("f.yaml:{message}")), "{text}");
        }
    }
}
