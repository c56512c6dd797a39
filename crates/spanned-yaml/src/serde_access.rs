//! Serde access types: the elements, entries, keys and enum variants of a node.

use crate::decode::NodeDeserializer;
use crate::decode_error::{DecodeError, PathStep};
use crate::error::Span;
use crate::node::{Key, Node};
use crate::spanned::SPANNED;
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// The elements of a list.
pub(super) struct ListItems<'a> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
}

impl<'a> ListItems<'a> {
    pub(super) fn new(items: &'a [Node]) -> Self {
        ListItems {
            items: items.iter().enumerate(),
        }
    }
}

impl<'a> SeqAccess<'a> for ListItems<'a> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        let value = seed.deserialize(NodeDeserializer(node));
        value
            .map(Some)
            .map_err(|error| error.at(node.span()).within(PathStep::Item(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a map.
pub(super) struct MapEntries<'a> {
    entries: std::slice::Iter<'a, (Key, Node)>,
    current: Option<&'a (Key, Node)>,
}

impl<'a> MapEntries<'a> {
    pub(super) fn new(entries: &'a [(Key, Node)]) -> Self {
        MapEntries {
            entries: entries.iter(),
            current: None,
        }
    }
}

impl<'a> de::MapAccess<'a> for MapEntries<'a> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else {
            return Ok(None);
        };
        let name = seed.deserialize(NameDeserializer {
            name: &key.name,
            span: key.span,
        });
        name.map(Some)
            .map_err(|error| error.at(key.span).within(PathStep::Entry(key.name.clone())))
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let Some((key, node)) = self.current else {
            return Err(de::Error::custom("a value without its key"));
        };
        let value = seed.deserialize(NodeDeserializer(node));
        value.map_err(|error| {
            error
                .at(node.span())
                .within(PathStep::Entry(key.name.clone()))
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The name of an entry or a variant.
#[derive(Clone, Copy)]
pub(super) struct NameDeserializer<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
}

impl<'a> Deserializer<'a> for NameDeserializer<'a> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor
            .visit_borrowed_str(self.name)
            .map_err(|error: DecodeError| error.at(self.span))
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match name {
            SPANNED => visitor.visit_seq(SpannedAccess::new(self.span, self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_enum(EnumAccess::bare(self.name, self.span))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// An enum variant: a name alone, or a name with its content.
pub(super) struct EnumAccess<'a> {
    name: NameDeserializer<'a>,
    content: Option<&'a Node>,
}

impl<'a> EnumAccess<'a> {
    pub(super) fn bare(name: &'a str, span: Span) -> Self {
        EnumAccess {
            name: NameDeserializer { name, span },
            content: None,
        }
    }

    pub(super) fn keyed(key: &'a Key, content: &'a Node) -> Self {
        EnumAccess {
            name: NameDeserializer {
                name: &key.name,
                span: key.span,
            },
            content: Some(content),
        }
    }

    fn content(self) -> Result<NodeDeserializer<'a>, DecodeError> {
        let bare = || {
            de::Error::custom(format!(
                "`{}` needs a value: write `{{{}: …}}`",
                self.name.name, self.name.name
            ))
        };
        self.content.map(NodeDeserializer).ok_or_else(bare)
    }

    /// Decodes the content.
    fn inside<T>(
        self,
        decode: impl FnOnce(NodeDeserializer<'a>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let name = self.name.name;
        let content = self.content()?;
        decode(content).map_err(|error| {
            let error = error.at(content.0.span());
            error.within(PathStep::Entry(name.to_owned()))
        })
    }
}

impl<'a> de::EnumAccess<'a> for EnumAccess<'a> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DecodeError> {
        let name: StrDeserializer<'_, DecodeError> = self.name.name.into_deserializer();
        let variant = seed
            .deserialize(name)
            .map_err(|error| error.at(self.name.span))?;
        Ok((variant, self))
    }
}

impl<'a> de::VariantAccess<'a> for EnumAccess<'a> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.content {
            Some(node) if !node.is_null() => Err(DecodeError::at(
                de::Error::custom(format!("`{}` takes no value", self.name.name)),
                node.span(),
            )),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        self.inside(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'a>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.inside(|content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.inside(|content| content.deserialize_map(visitor))
    }
}

/// The parts of a [`Spanned`](crate::Spanned): line, column, length, value.
pub(super) struct SpannedAccess<D> {
    numbers: std::array::IntoIter<u32, 3>,
    inner: Option<D>,
}

impl<D> SpannedAccess<D> {
    pub(super) fn new(span: Span, inner: D) -> Self {
        SpannedAccess {
            numbers: [span.line, span.column, span.len].into_iter(),
            inner: Some(inner),
        }
    }
}

impl<'a, D: Deserializer<'a, Error = DecodeError>> SeqAccess<'a> for SpannedAccess<D> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        match self.numbers.next() {
            Some(number) => seed
                .deserialize(IntoDeserializer::<DecodeError>::into_deserializer(number))
                .map(Some),
            None => self
                .inner
                .take()
                .map(|inner| seed.deserialize(inner))
                .transpose(),
        }
    }
}
