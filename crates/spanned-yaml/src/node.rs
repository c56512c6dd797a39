//! The tree of YAML values: [`Node`], [`Kind`], [`Key`].

use crate::error::{Error, SourceText, Span};
use crate::pointer::unescape_step;
use serde_json::{Map, Number, Value};
use std::sync::Arc;

/// A YAML value with its location in the file. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Node(Arc<Inner>);

#[derive(Debug, PartialEq)]
struct Inner {
    source: Arc<SourceText>,
    span: Span,
    kind: Kind,
}

/// The kind of a [`Node`], by the YAML 1.2 core schema, with its content.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`; `yes` and `on` are text.
    Bool(bool),
    /// An integer or a finite float.
    Number(Number),
    /// Any other scalar, and every quoted one.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file, without duplicates.
    Map(Vec<(Key, Node)>),
}

/// The key of a mapping's entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Its text.
    pub name: String,
    /// Its location.
    pub span: Span,
}

impl Node {
    /// A node at a location of a source.
    pub fn new(source: Arc<SourceText>, span: Span, kind: Kind) -> Self {
        Node(Arc::new(Inner { source, span, kind }))
    }

    /// A node with the same location and another content.
    pub fn with_kind(&self, kind: Kind) -> Self {
        Node::new(Arc::clone(&self.0.source), self.0.span, kind)
    }

    /// The same value as if it were written where another one is.
    pub fn moved_to(&self, place: &Node) -> Self {
        place.with_kind(match self.kind() {
            Kind::List(items) => {
                Kind::List(items.iter().map(|item| item.moved_to(place)).collect())
            }
            Kind::Map(entries) => {
                let moved = entries.iter().map(|(key, value)| {
                    let name = key.name.clone();
                    let span = place.span();
                    (Key { name, span }, value.moved_to(place))
                });
                Kind::Map(moved.collect())
            }
            kind => kind.clone(),
        })
    }

    /// The kind of value, with its content.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Its location in the file.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// The file it was read from.
    pub fn source(&self) -> &SourceText {
        &self.0.source
    }

    /// An error about this value.
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.0.source.error(self.0.span, message)
    }

    /// An error about another location in this value's file.
    pub fn error_at(&self, span: Span, message: impl Into<String>) -> Error {
        self.0.source.error(span, message)
    }

    /// The text, if it is a text.
    pub fn as_str(&self) -> Option<&str> {
        match self.kind() {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match self.kind() {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is a map.
    pub fn as_map(&self) -> Option<&[(Key, Node)]> {
        match self.kind() {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether it is null or left empty.
    pub fn is_null(&self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    /// The value under this key, if it is a map that has it.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|(_, value)| value)
    }

    /// The entry with this key, if it is a map that has it.
    pub fn entry(&self, name: &str) -> Option<&(Key, Node)> {
        self.as_map()?.iter().find(|(key, _)| key.name == name)
    }

    /// The value at a JSON Pointer (RFC 6901), if there is one.
    pub fn at(&self, pointer: &str) -> Option<&Node> {
        let (node, rest) = self.follow(pointer);
        rest.is_empty().then_some(node)
    }

    /// The value at a JSON Pointer, or the last one on the way to it.
    pub fn nearest(&self, pointer: &str) -> &Node {
        self.follow(pointer).0
    }

    /// The location of the key at a JSON Pointer, or of the last value on the way to it.
    pub fn key_at(&self, pointer: &str) -> Span {
        let (outer, name) = pointer.rsplit_once('/').unwrap_or_default();
        let node = self.nearest(outer);
        let name = unescape_step(name);
        node.entry(&name)
            .map_or_else(|| node.span(), |(key, _)| key.span)
    }

    /// The last value on the way along a pointer, and the rest of the pointer.
    fn follow<'p>(&self, pointer: &'p str) -> (&Node, &'p str) {
        let (mut node, mut rest) = (self, pointer);
        while let Some(path) = rest.strip_prefix('/') {
            let (step, after) = path.find('/').map_or((path, ""), |end| path.split_at(end));
            let step = unescape_step(step);
            let next = match node.kind() {
                Kind::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
                _ => node.get(&step),
            };
            let Some(next) = next else { break };
            (node, rest) = (next, after);
        }
        (node, rest)
    }

    /// The value in the words of an error message: `the text "abc"`, `a list`.
    pub fn describe(&self) -> String {
        match self.kind() {
            Kind::Null => "nothing".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Number(number) => format!("the number {number}"),
            Kind::Text(text) => describe_text(text),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a map".to_owned(),
        }
    }

    /// The value as JSON, without locations.
    pub fn to_value(&self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            Kind::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.name.clone(), value.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Longest text that a message shows in full, in characters.
const MAX_SHOWN: usize = 60;

/// A text in the words of an error message, its end cut off if it is long.
pub fn describe_text(text: &str) -> String {
    if text.chars().count() <= MAX_SHOWN {
        return format!("the text {text:?}");
    }
    let start: String = text.chars().take(MAX_SHOWN).collect();
    format!("the text {start:?}…")
}
