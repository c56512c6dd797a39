//! The serde deserializer of a node, and [`decode`].

use crate::decode_error::DecodeError;
use crate::error::Error;
use crate::node::{Kind, Node};
use crate::serde_access::{EnumAccess, ListItems, MapEntries, SpannedAccess};
use crate::spanned::{NODE, SPANNED, pass_node};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// Decodes a node.
///
/// Structs should have `deny_unknown_fields`: then an unknown key is an error at that key, with a suggestion.
/// Fields may be [`Node`]s (the tree as written) and [`Spanned`](crate::Spanned) values.
///
/// # Errors
/// The first value that does not fit its type, at the innermost value.
pub fn decode<T: DeserializeOwned>(node: &Node) -> Result<T, Error> {
    try_decode(node).map_err(|error| error.into_error(node))
}

pub(super) fn try_decode<T: DeserializeOwned>(node: &Node) -> Result<T, DecodeError> {
    T::deserialize(NodeDeserializer(node))
}

/// The deserializer over one node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'a>(pub(super) &'a Node);

impl<'a> NodeDeserializer<'a> {
    fn any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Bool(value) => visitor.visit_bool(*value),
            Kind::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), ..) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (.., value) => visitor.visit_f64(value.unwrap_or_default()),
            },
            Kind::Text(text) => visitor.visit_borrowed_str(text),
            Kind::List(items) => visitor.visit_seq(ListItems::new(items)),
            Kind::Map(entries) => visitor.visit_map(MapEntries::new(entries)),
        }
    }

    fn text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0.kind() {
            Kind::Number(_) | Kind::Bool(_) => Err(DecodeError::custom(format!(
                "expected text, found {}; quote it if it is meant as text",
                self.0.describe()
            ))),
            _ => self.any(visitor),
        }
    }

    fn variant<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0.kind() {
            Kind::Text(name) => visitor.visit_enum(EnumAccess::bare(name, self.0.span())),
            Kind::Map(entries) => match entries.as_slice() {
                [(key, value)] => visitor.visit_enum(EnumAccess::keyed(key, value)),
                [] => Err(DecodeError::of_empty_map()),
                _ => Err(DecodeError::custom(format!(
                    "expected a map with one key, found one with {}",
                    entries.len()
                ))),
            },
            _ => Err(DecodeError::custom(format!(
                "expected a word or a map with one key, found {}",
                self.0.describe()
            ))),
        }
    }
}

impl<'a> Deserializer<'a> for NodeDeserializer<'a> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.any(visitor).map_err(|error| error.at(self.0.span()))
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.text(visitor).map_err(|error| error.at(self.0.span()))
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match name {
            NODE => pass_node(self.0.clone(), || visitor.visit_unit()),
            SPANNED => visitor.visit_seq(SpannedAccess::new(self.0.span(), self)),
            _ => visitor
                .visit_newtype_struct(self)
                .map_err(|error: DecodeError| error.at(self.0.span())),
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.variant(visitor)
            .map_err(|error| error.at(self.0.span()))
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if let Kind::List(_) = self.0.kind() {
            let error = DecodeError::custom("expected a map, found a list");
            return Err(error.at(self.0.span()));
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier
    }
}
