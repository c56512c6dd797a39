//! Small value types of the script grammar: one-or-many values, repeat counts, `true`, a text or number.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use spanned_yaml::TextSchema;

/// The most bytes that a repeated text may have.
const MAX_REPEATED: usize = 64 << 20;

/// One text, a list of texts as chunks, or a chunk that comes several times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "TextsFile")]
pub struct Texts(pub Vec<String>);

/// [`Texts`] as written.
#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a text, a list of texts, or `{ chunk, times }`"
)]
enum TextsFile {
    Text(#[schemars(with = "TextSchema")] String),
    List(#[schemars(with = "Vec<TextSchema>")] Vec<String>),
    Repeated {
        /// The text of each chunk.
        chunk: String,
        /// How often it is repeated.
        #[schemars(range(min = 1))]
        times: usize,
    },
}

impl TryFrom<TextsFile> for Texts {
    type Error = String;

    fn try_from(file: TextsFile) -> Result<Self, String> {
        let (chunk, times) = match file {
            TextsFile::Text(text) => return Ok(Texts(vec![text])),
            TextsFile::List(texts) => return Ok(Texts(texts)),
            TextsFile::Repeated { chunk, times } => (chunk, times),
        };
        match chunk.len().saturating_mul(times) {
            0 => Err("a repeated text needs a `chunk` and at least 1 for `times`".to_owned()),
            1..=MAX_REPEATED => Ok(Texts(vec![chunk; times])),
            _ => Err(format!("a repeated text of more than {MAX_REPEATED} bytes")),
        }
    }
}

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

/// The JSON Schema of one mapping or a list of them.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// Decodes one mapping or a list of them.
pub(super) fn one_or_many<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct V<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
        type Value = Vec<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a mapping or a list of mappings")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
        }
        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(seq))
        }
    }
    deserializer.deserialize_any(V(PhantomData))
}

/// How often a reply is served: a number of times, or `forever`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "snake_case",
    expecting = "expected a number of times, at least 1, or `forever`"
)]
pub enum Repeat {
    /// Any number of times, also never.
    Forever,
    /// A number of times.
    #[serde(untagged)]
    Times(NonZeroU64),
}

impl Repeat {
    /// Once, as without `repeat`.
    pub const ONCE: Repeat = Repeat::Times(NonZeroU64::MIN);

    /// Whether a reply that was served this often may be served again.
    #[must_use]
    pub fn allows(self, served: u64) -> bool {
        match self {
            Repeat::Times(times) => served < times.get(),
            Repeat::Forever => true,
        }
    }
}

impl Default for Repeat {
    fn default() -> Self {
        Repeat::ONCE
    }
}

/// The value `true`: for a key that is either set or left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "bool", into = "bool")]
#[schemars(extend("const" = true))]
pub struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(True).ok_or("expected `true`")
    }
}

impl From<True> for bool {
    fn from(True: True) -> Self {
        true
    }
}

/// A text that may be written as a bare number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "TextOrNumberFile")]
pub struct TextOrNumber(pub String);

/// [`TextOrNumber`] as written.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text or a number")]
enum TextOrNumberFile {
    Text(String),
    Number(#[schemars(with = "f64")] Number),
}

impl From<TextOrNumberFile> for TextOrNumber {
    fn from(file: TextOrNumberFile) -> Self {
        TextOrNumber(match file {
            TextOrNumberFile::Text(text) => text,
            TextOrNumberFile::Number(number) => number.to_string(),
        })
    }
}
