//! [`Spanned`] values, and nodes as fields: how locations and whole nodes pass through serde.

use crate::error::Span;
use crate::node::Node;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::borrow::Cow;
use std::cell::RefCell;
use std::marker::PhantomData;

/// The newtype name that asks the deserializer for a whole node.
pub(crate) const NODE: &str = "$conform::Node";
/// The newtype name that asks the deserializer for a value with its span.
pub(crate) const SPANNED: &str = "$conform::Spanned";

thread_local! {
    /// The node between the deserializer and the `Deserialize` of [`Node`]: serde's data model cannot hold it.
    static PASSED_NODE: RefCell<Option<Node>> = const { RefCell::new(None) };
}

/// Makes a node available to the visitor that `visit` calls.
pub(crate) fn pass_node<T>(node: Node, visit: impl FnOnce() -> T) -> T {
    PASSED_NODE.set(Some(node));
    let value = visit();
    PASSED_NODE.set(None);
    value
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodeVisitor;

        impl Visitor<'_> for NodeVisitor {
            type Value = Node;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a YAML value")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
                PASSED_NODE
                    .take()
                    .ok_or_else(|| E::custom("a Node can only be decoded from a Node"))
            }
        }

        deserializer.deserialize_newtype_struct(NODE, NodeVisitor)
    }
}

/// A decoded value with its location.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its location in the file.
    pub span: Span,
}

impl<T> std::ops::Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A text that comes from no file.
impl From<&str> for Spanned<String> {
    fn from(text: &str) -> Self {
        Spanned {
            value: text.to_owned(),
            ..Spanned::default()
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpannedVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a YAML value")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
                let missing =
                    || de::Error::custom("a Spanned value can only be decoded from a Node");
                let line = parts.next_element()?.ok_or_else(missing)?;
                let column = parts.next_element()?.ok_or_else(missing)?;
                let len = parts.next_element()?.ok_or_else(missing)?;
                let value = parts.next_element()?.ok_or_else(missing)?;
                Ok(Spanned {
                    value,
                    span: Span { line, column, len },
                })
            }
        }

        deserializer.deserialize_newtype_struct(SPANNED, SpannedVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
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

/// For `#[serde(default, deserialize_with = "present")]`: a key that is present is `Some`, also if its value is null.
///
/// # Errors
/// The errors of the value.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
