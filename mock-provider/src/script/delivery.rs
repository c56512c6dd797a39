//! Delivery: how the bytes of an answer are divided into writes.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, Unexpected, Visitor, value};
use serde::{Deserialize, Serialize};

use spanned_yaml::TimeSpan;

/// How the bytes of a stream are divided into writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(into = "DeliveryMap")]
pub struct Delivery {
    /// Where one write ends and the next begins.
    pub division: Division,
    /// A pause after each write.
    pub pause: Option<TimeSpan>,
    /// Lines end in CR LF instead of LF.
    pub crlf: bool,
}

impl Delivery {
    /// Whether this is the delivery of a reply without `delivery`.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Delivery::default()
    }
}

/// Where one write ends and the next begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Division {
    /// Each event is a write of its own.
    #[default]
    Events,
    /// Everything between two waits is one write.
    Whole,
    /// A number of bytes in each write, across the bounds of events.
    Every(usize),
    /// One write up to each of these offsets into the stream, and one for the rest.
    At(Vec<usize>),
}

/// [`Delivery`] written as a mapping.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct DeliveryMap {
    /// The number of bytes in each write, across the bounds of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    every: Option<usize>,
    /// One write up to each of these offsets into the stream, ascending, and one for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Vec<usize>>,
    /// Everything between two waits is one write.
    whole: bool,
    /// A pause after each write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pause: Option<TimeSpan>,
    /// Lines end in CR LF instead of LF.
    crlf: bool,
}

impl From<Delivery> for DeliveryMap {
    fn from(
        Delivery {
            division,
            pause,
            crlf,
        }: Delivery,
    ) -> Self {
        let map = DeliveryMap {
            pause,
            crlf,
            ..DeliveryMap::default()
        };
        match division {
            Division::Events => map,
            Division::Whole => DeliveryMap { whole: true, ..map },
            Division::Every(bytes) => DeliveryMap {
                every: Some(bytes),
                ..map
            },
            Division::At(offsets) => DeliveryMap {
                at: Some(offsets),
                ..map
            },
        }
    }
}

impl<'de> Deserialize<'de> for Delivery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Delivery;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`events`, `whole`, or one of `{ every: BYTES }`, `{ at: [OFFSETS] }`, `{ whole: true }` with `pause` and `crlf`")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Delivery, E> {
                let division = match word {
                    "events" => Division::Events,
                    "whole" => Division::Whole,
                    _ => return Err(E::invalid_value(Unexpected::Str(word), &self)),
                };
                Ok(Delivery {
                    division,
                    ..Delivery::default()
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Delivery, A::Error> {
                let DeliveryMap {
                    every,
                    at,
                    whole,
                    pause,
                    crlf,
                } = DeliveryMap::deserialize(value::MapAccessDeserializer::new(map))?;
                let division = match (every, at, whole) {
                    (None, None, false) => Division::Events,
                    (None, None, true) => Division::Whole,
                    (Some(bytes), None, false) if bytes > 0 => Division::Every(bytes),
                    (Some(_), None, false) => {
                        return Err(de::Error::custom("`every` must be at least 1"));
                    }
                    (None, Some(at), false) if at.is_sorted_by(|a, b| a < b) => Division::At(at),
                    (None, Some(_), false) => {
                        return Err(de::Error::custom("the offsets of `at` must ascend"));
                    }
                    _ => {
                        return Err(de::Error::custom(
                            "at most one of `every`, `at` and `whole`",
                        ));
                    }
                };
                Ok(Delivery {
                    division,
                    pause,
                    crlf,
                })
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Delivery {
    fn schema_name() -> Cow<'static, str> {
        "Delivery".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let map = generator.subschema_for::<DeliveryMap>();
        json_schema!({ "description": "How the bytes are divided into writes.", "anyOf": [{ "enum": ["events", "whole"] }, map] })
    }
}
