//! Places carried through serde: fields that are whole nodes, and values with their place.

use super::access::Word;
use super::decode::De;
use super::refusal::Refusal;
use super::{Node, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
};
use std::borrow::Cow;
use std::cell::RefCell;
use std::marker::PhantomData;

pub(super) const NODE: &str = "$conform::Node";
pub(super) const LOCATED: &str = "$conform::Located";

thread_local! {
    /// The node on its way from the deserializer to the `Deserialize` of [`Node`], which serde's data model cannot hold.
    static HANDED: RefCell<Option<Node>> = const { RefCell::new(None) };
}

/// Lays a node out for the visitor that `visit` calls.
pub(super) fn hand_over<T>(node: Node, visit: impl FnOnce() -> T) -> T {
    HANDED.set(Some(node));
    let value = visit();
    HANDED.set(None);
    value
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Taker;

        impl Visitor<'_> for Taker {
            type Value = Node;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a located value")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
                HANDED
                    .take()
                    .ok_or_else(|| E::custom("a Node can only be decoded from a Node"))
            }
        }

        deserializer.deserialize_newtype_struct(NODE, Taker)
    }
}

/// A decoded value with its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> std::ops::Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Located<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a located value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Located<T>, A::Error> {
                let missing =
                    || de::Error::custom("a Located value can only be decoded from a Node");
                let line = parts.next_element()?.ok_or_else(missing)?;
                let column = parts.next_element()?.ok_or_else(missing)?;
                let len = parts.next_element()?.ok_or_else(missing)?;
                let value = parts.next_element()?.ok_or_else(missing)?;
                Ok(Located {
                    value,
                    span: Span { line, column, len },
                })
            }
        }

        deserializer.deserialize_newtype_struct(LOCATED, Parts(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// For `#[serde(default, deserialize_with = "present")]`: a key that stands there is `Some`, also when its value is null.
///
/// # Errors
/// Those of the value.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The parts of a [`Located`]: line, column, length, value.
pub(super) struct Placed<D> {
    numbers: std::array::IntoIter<u32, 3>,
    inner: Option<D>,
}

impl<'a> Placed<De<'a>> {
    pub(super) fn value(de: De<'a>) -> Self {
        Self::new(de.0.span(), de)
    }
}

impl<'a> Placed<Word<'a>> {
    pub(super) fn word(word: Word<'a>) -> Self {
        Self::new(word.span, word)
    }
}

impl<D> Placed<D> {
    fn new(span: Span, inner: D) -> Self {
        Placed {
            numbers: [span.line, span.column, span.len].into_iter(),
            inner: Some(inner),
        }
    }
}

impl<'a, D: Deserializer<'a, Error = Refusal>> SeqAccess<'a> for Placed<D> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refusal> {
        match self.numbers.next() {
            Some(number) => seed
                .deserialize(IntoDeserializer::<Refusal>::into_deserializer(number))
                .map(Some),
            None => self
                .inner
                .take()
                .map(|inner| seed.deserialize(inner))
                .transpose(),
        }
    }
}
