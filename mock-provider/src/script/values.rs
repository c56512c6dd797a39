//! Small value types of the script grammar: one-or-many values, repeat counts, `true`, a text or number.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use spanned_yaml::TextSchema;

/// The most bytes that a repeated text may have.
const MAX_REPEATED: usize = 64 << 20;

/// [`Texts`] written as a text that is repeated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RepeatedText {
    /// The text.
    chunk: String,
    /// How often it is repeated.
    #[schemars(range(min = 1))]
    times: usize,
}

impl RepeatedText {
    fn texts<E: de::Error>(self) -> Result<Texts, E> {
        match self.chunk.len().checked_mul(self.times) {
            Some(0) => Err(E::custom(
                "a repeated text needs a `chunk` and at least 1 for `times`",
            )),
            Some(bytes) if bytes <= MAX_REPEATED => Ok(Texts(vec![self.chunk; self.times])),
            _ => Err(E::custom(format_args!(
                "a repeated text of more than {MAX_REPEATED} bytes"
            ))),
        }
    }
}

/// One text, a list of texts, or a text that is repeated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Texts(pub Vec<String>);

impl Texts {
    /// The texts joined.
    #[must_use]
    pub fn joined(&self) -> String {
        self.0.concat()
    }
}

impl From<&str> for Texts {
    fn from(text: &str) -> Self {
        Texts(vec![text.to_owned()])
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Texts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a list of texts, or `{ chunk, times }`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts::from(text))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Texts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Texts, A::Error> {
                RepeatedText::deserialize(de::value::MapAccessDeserializer::new(map))?.texts()
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Texts {
    fn schema_name() -> Cow<'static, str> {
        "Texts".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let repeated = generator.subschema_for::<RepeatedText>();
        let text = generator.subschema_for::<TextSchema>();
        json_schema!({
            "description": "One text, a list of texts as chunks, or a chunk that comes several times.",
            "anyOf": [text, { "type": "array", "items": text }, repeated]
        })
    }
}

/// One mapping, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping or a list of mappings")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map))
                    .map(|one| OneOrMany(vec![one]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut many = Vec::new();
                while let Some(one) = seq.next_element()? {
                    many.push(one);
                }
                Ok(OneOrMany(many))
            }
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("OneOrMany_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// How often a reply is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A number of times.
    Times(u64),
    /// Any number of times, also never.
    Forever,
}

impl Repeat {
    /// Whether a reply that was served this often may be served again.
    #[must_use]
    pub fn allows(self, served: u64) -> bool {
        match self {
            Repeat::Times(times) => served < times,
            Repeat::Forever => true,
        }
    }

    /// Whether this is the repeat count of a reply without `repeat`.
    #[must_use]
    pub fn is_once(&self) -> bool {
        *self == Repeat::Times(1)
    }
}

impl Default for Repeat {
    fn default() -> Self {
        Repeat::Times(1)
    }
}

impl Serialize for Repeat {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Repeat::Times(times) => serializer.serialize_u64(*times),
            Repeat::Forever => serializer.serialize_str("forever"),
        }
    }
}

impl<'de> Deserialize<'de> for Repeat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Repeat;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of times, at least 1, or `forever`")
            }
            fn visit_u64<E: de::Error>(self, times: u64) -> Result<Repeat, E> {
                if times == 0 {
                    Err(E::invalid_value(Unexpected::Unsigned(0), &self))
                } else {
                    Ok(Repeat::Times(times))
                }
            }
            fn visit_i64<E: de::Error>(self, times: i64) -> Result<Repeat, E> {
                u64::try_from(times)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(times), &self))
                    .and_then(|times| self.visit_u64(times))
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Repeat, E> {
                if word == "forever" {
                    Ok(Repeat::Forever)
                } else {
                    Err(E::invalid_value(Unexpected::Str(word), &self))
                }
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Repeat {
    fn schema_name() -> Cow<'static, str> {
        "Repeat".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "How often the reply is served.", "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "forever" }] })
    }
}

/// The value `true`: for a key that is either set or left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for True {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = True;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true`")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<True, E> {
                if value {
                    Ok(True)
                } else {
                    Err(E::invalid_value(Unexpected::Bool(false), &self))
                }
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for True {
    fn schema_name() -> Cow<'static, str> {
        "True".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": true })
    }
}

/// A text that may be written as a bare number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct TextOrNumber(pub String);

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = TextOrNumber;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(text.to_owned()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for TextOrNumber {
    fn schema_name() -> Cow<'static, str> {
        "TextOrNumber".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}
