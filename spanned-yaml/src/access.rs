//! The parts of a node as serde walks them.

use super::carry;
use super::decode::De;
use super::refusal::{Refusal, Step};
use super::{Key, Node, Span};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The elements of a list.
pub(super) struct Items<'a> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
}

impl<'a> Items<'a> {
    pub(super) fn new(items: &'a [Node]) -> Self {
        Items {
            items: items.iter().enumerate(),
        }
    }
}

impl<'a> de::SeqAccess<'a> for Items<'a> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'a>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refusal> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        let value = seed.deserialize(De(node));
        value
            .map(Some)
            .map_err(|refusal| refusal.at(node.span()).within(Step::Item(index)))
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
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else {
            return Ok(None);
        };
        let name = seed.deserialize(Word {
            name: &key.name,
            span: key.span,
        });
        name.map(Some)
            .map_err(|refusal| refusal.at(key.span).within(Step::Entry(key.name.clone())))
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        let Some((key, node)) = self.current else {
            return Err(de::Error::custom("a value without its key"));
        };
        let value = seed.deserialize(De(node));
        value.map_err(|refusal| {
            refusal
                .at(node.span())
                .within(Step::Entry(key.name.clone()))
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A key, or the word that names a variant.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
}

impl<'a> Deserializer<'a> for Word<'a> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor
            .visit_borrowed_str(self.name)
            .map_err(|refusal: Refusal| refusal.at(self.span))
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match name {
            carry::LOCATED => visitor.visit_seq(carry::Placed::word(self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_enum(EnumAccess::word(self.name, self.span))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant: a word alone, or a word with its content.
pub(super) struct EnumAccess<'a> {
    word: Word<'a>,
    content: Option<&'a Node>,
}

impl<'a> EnumAccess<'a> {
    pub(super) fn word(name: &'a str, span: Span) -> Self {
        EnumAccess {
            word: Word { name, span },
            content: None,
        }
    }

    pub(super) fn keyed(key: &'a Key, content: &'a Node) -> Self {
        EnumAccess {
            word: Word {
                name: &key.name,
                span: key.span,
            },
            content: Some(content),
        }
    }

    fn content(self) -> Result<De<'a>, Refusal> {
        let bare = || {
            de::Error::custom(format!(
                "`{}` needs a value: write `{{{}: …}}`",
                self.word.name, self.word.name
            ))
        };
        self.content.map(De).ok_or_else(bare)
    }

    fn inside<T>(name: &str, result: Result<T, Refusal>) -> Result<T, Refusal> {
        result.map_err(|refusal| refusal.within(Step::Entry(name.to_owned())))
    }
}

impl<'a> de::EnumAccess<'a> for EnumAccess<'a> {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, Self), Refusal> {
        let word: StrDeserializer<'_, Refusal> = self.word.name.into_deserializer();
        let name = seed
            .deserialize(word)
            .map_err(|refusal| refusal.at(self.word.span))?;
        Ok((name, self))
    }
}

impl<'a> de::VariantAccess<'a> for EnumAccess<'a> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.content {
            Some(node) if !node.is_null() => Err(Refusal::at(
                de::Error::custom(format!("`{}` takes no value", self.word.name)),
                node.span(),
            )),
            _ => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Refusal> {
        let name = self.word.name;
        Self::inside(name, seed.deserialize(self.content()?))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, Refusal> {
        let name = self.word.name;
        Self::inside(name, self.content()?.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let name = self.word.name;
        Self::inside(name, self.content()?.deserialize_map(visitor))
    }
}
