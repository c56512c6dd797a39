//! Builds the tree of nodes from the events of the YAML parser.

use crate::error::{Error, SourceText, Span};
use crate::node::{Key, Kind, Node};
use crate::repeated::{MAX_REPEATED, repeated_text};
use crate::scalar::resolve;
use granit_parser::{Event, Marker, Parser, ScalarStyle, Span as Extent, StrInput, Tag};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Deepest nesting accepted, in levels.
const MAX_DEPTH: usize = 64;
/// Most values in one file; the values of an alias count each time.
const MAX_VALUES: usize = 1_000_000;

/// Builds the tree of one document.
pub(super) struct Builder {
    source: Arc<SourceText>,
    /// Complete anchors, each with the number of its values.
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
    /// The bytes of repeated texts.
    repeated: usize,
}

/// The parser over a text.
type Events<'t> = Parser<'t, StrInput<'t>>;

impl Builder {
    pub(super) fn new(source: Arc<SourceText>) -> Self {
        Builder {
            source,
            anchors: HashMap::new(),
            values: 0,
            repeated: 0,
        }
    }

    /// The tree of the source's only document; null if it has none.
    pub(super) fn document(mut self) -> Result<Node, Error> {
        let source = Arc::clone(&self.source);
        let mut events = Parser::new_from_str(&source.text);
        let mut root = None;
        loop {
            let (event, extent) = self.next(&mut events)?;
            match event {
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                _ if root.is_some() => {
                    return Err(self.error(extent, "a second document; a file holds one"));
                }
                event => root = Some(self.node(event, extent, 0, &mut events)?),
            }
        }
        let start = Span {
            line: 1,
            column: 1,
            len: 0,
        };
        Ok(root.unwrap_or_else(|| Node::new(source, start, Kind::Null)))
    }

    fn next<'t>(&self, events: &mut Events<'t>) -> Result<(Event<'t>, Extent), Error> {
        match events.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(self.source.error(
                span_at(*error.marker(), 0),
                format!("not valid YAML: {}", error.info()),
            )),
            None => Ok((Event::StreamEnd, Extent::default())),
        }
    }

    fn node<'t>(
        &mut self,
        event: Event<'t>,
        extent: Extent,
        depth: usize,
        events: &mut Events<'t>,
    ) -> Result<Node, Error> {
        if depth > MAX_DEPTH {
            return Err(self.error(extent, format!("nested more than {MAX_DEPTH} deep")));
        }
        if let Event::Alias(id) = event {
            return self.alias(id, extent);
        }
        let before = self.values;
        self.count(1, extent)?;
        let (kind, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (self.scalar(&text, style, tag.as_deref(), extent)?, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.reject_tag(tag.as_deref(), extent)?;
                (Kind::List(self.list(depth, events)?), anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.reject_tag(tag.as_deref(), extent)?;
                let map = self.map(depth, events)?;
                (self.text_or_map(map, extent)?, anchor)
            }
            other => {
                return Err(self.error(
                    extent,
                    format!("YAML that is not supported here: {other:?}"),
                ));
            }
        };
        let node = Node::new(Arc::clone(&self.source), self.span(extent), kind);
        if anchor != 0 {
            self.anchors
                .insert(anchor, (node.clone(), self.values - before));
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, extent: Extent) -> Result<Node, Error> {
        let Some((node, values)) = self.anchors.get(&id).cloned() else {
            return Err(self.error(extent, "an alias inside its own anchor"));
        };
        self.count(values, extent)?;
        Ok(node)
    }

    fn count(&mut self, values: usize, extent: Extent) -> Result<(), Error> {
        self.values += values;
        if self.values > MAX_VALUES {
            return Err(self.error(
                extent,
                format!("the file holds more than {MAX_VALUES} values, its aliases written out"),
            ));
        }
        Ok(())
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        extent: Extent,
    ) -> Result<Kind, Error> {
        let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str"));
        if !is_text {
            self.reject_tag(tag, extent)?;
        }
        if is_text || style != ScalarStyle::Plain {
            return Ok(Kind::Text(text.to_owned()));
        }
        resolve(text).map_err(|message| self.error(extent, message))
    }

    fn list(&mut self, depth: usize, events: &mut Events<'_>) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        loop {
            match self.next(events)? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, extent) => items.push(self.node(event, extent, depth + 1, events)?),
            }
        }
    }

    fn map(&mut self, depth: usize, events: &mut Events<'_>) -> Result<Vec<(Key, Node)>, Error> {
        let mut entries = Vec::new();
        let mut names = HashSet::new();
        loop {
            let (event, extent) = self.next(events)?;
            let name = match event {
                Event::MappingEnd => return Ok(entries),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err(self.error(extent, "a key must be a plain word or a text")),
            };
            if name == "<<" {
                return Err(self.error(extent, "merge keys are not supported"));
            }
            if !names.insert(name.clone()) {
                return Err(self.error(
                    extent,
                    format!("the key `{name}` is here twice: keep one of them, or rename one"),
                ));
            }
            let key = Key {
                name,
                span: self.span(extent),
            };
            let (event, extent) = self.next(events)?;
            entries.push((key, self.node(event, extent, depth + 1, events)?));
        }
    }

    /// The text that a map describes, or the map.
    fn text_or_map(&mut self, map: Vec<(Key, Node)>, extent: Extent) -> Result<Kind, Error> {
        match repeated_text(&map, MAX_REPEATED - self.repeated) {
            None => Ok(Kind::Map(map)),
            Some(Err(message)) => Err(self.error(extent, message)),
            Some(Ok(text)) => {
                self.repeated += text.len();
                Ok(Kind::Text(text))
            }
        }
    }

    fn reject_tag(&self, tag: Option<&Tag>, extent: Extent) -> Result<(), Error> {
        match tag {
            Some(tag) => Err(self.error(
                extent,
                format!("the tag `{}` is not supported", tag.original()),
            )),
            None => Ok(()),
        }
    }

    fn error(&self, extent: Extent, message: impl Into<String>) -> Error {
        self.source.error(self.span(extent), message)
    }

    fn span(&self, extent: Extent) -> Span {
        let text = extent.slice(&self.source.text).unwrap_or_default();
        span_at(
            extent.start,
            text.lines().next().unwrap_or_default().chars().count(),
        )
    }
}

fn span_at(marker: Marker, len: usize) -> Span {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Span {
        line: small(marker.line()),
        column: small(marker.col().saturating_add(1)),
        len: small(len),
    }
}
