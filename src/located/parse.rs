//! YAML text to a tree, in bounded time and memory whatever the text is.

use super::scalar::resolve;
use super::{Error, Key, Kind, Node, Source, Span};
use serde_saphyr::granit_parser::{
    Event, Marker, Parser, ScalarStyle, Span as Extent, StrInput, Tag,
};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file accepted, in bytes.
const LARGEST_FILE: usize = 4 << 20;
/// Deepest nesting accepted.
const DEEPEST: usize = 64;
/// Most values in one file, those that aliases stand for counted each time.
const MOST_VALUES: usize = 200_000;

/// Reads and parses a YAML file.
///
/// # Errors
/// The file cannot be read, is not UTF-8, or is refused by [`load_yaml`].
pub fn load_file(path: &Path) -> Result<Node, Error> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::of_file(path, format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::of_file(path, "is not UTF-8 text"))?;
    load_yaml(path, &text)
}

/// Parses the text of a YAML file: one document, with the core schema's scalars.
///
/// Aliases are followed; what they stand for is shared, and counted as if written out, so that an alias bomb is
/// refused before it costs anything.
///
/// # Errors
/// Bad YAML, a duplicate key, a key that is not a scalar, a tag other than `!!str`, a merge key, more than one
/// document, or a file too large, too deep, or with too many values.
pub fn load_yaml(path: impl Into<PathBuf>, text: &str) -> Result<Node, Error> {
    let path = path.into();
    if text.len() > LARGEST_FILE {
        return Err(Error::of_file(
            path,
            format!("is larger than {} MiB", LARGEST_FILE >> 20),
        ));
    }
    let source = Arc::new(Source {
        path,
        text: text.to_owned(),
    });
    let mut parser = Parser::new_from_str(text);
    Builder {
        events: &mut parser,
        source,
        anchors: HashMap::new(),
        values: 0,
    }
    .document()
}

struct Builder<'p, 't> {
    events: &'p mut Parser<'t, StrInput<'t>>,
    source: Arc<Source>,
    /// Finished anchors, each with the number of values it stands for.
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
}

impl<'t> Builder<'_, 't> {
    fn document(&mut self) -> Result<Node, Error> {
        let mut root = None;
        loop {
            let (event, extent) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                Event::StreamEnd => break,
                _ if root.is_some() => {
                    return Err(self.error(extent, "a second document; a file holds one"));
                }
                event => root = Some(self.node(event, extent, 0)?),
            }
        }
        let nothing = || {
            Node::new(
                Arc::clone(&self.source),
                Span {
                    line: 1,
                    column: 1,
                    len: 0,
                },
                Kind::Null,
            )
        };
        Ok(root.unwrap_or_else(nothing))
    }

    fn next(&mut self) -> Result<(Event<'t>, Extent), Error> {
        match self.events.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => Err(self.source.error(
                place(*error.marker(), 0),
                format!("not valid YAML: {}", error.info()),
            )),
            None => Ok((Event::StreamEnd, Extent::default())),
        }
    }

    fn node(&mut self, event: Event<'t>, extent: Extent, depth: usize) -> Result<Node, Error> {
        if depth > DEEPEST {
            return Err(self.error(extent, format!("nested more than {DEEPEST} deep")));
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
                self.refuse_tag(tag.as_deref(), extent)?;
                (Kind::List(self.list(depth)?), anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), extent)?;
                (Kind::Map(self.map(depth)?), anchor)
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
            return Err(self.error(extent, "an alias inside the value it stands for"));
        };
        self.count(values, extent)?;
        Ok(node)
    }

    fn count(&mut self, values: usize, extent: Extent) -> Result<(), Error> {
        self.values += values;
        if self.values > MOST_VALUES {
            return Err(self.error(
                extent,
                format!("the file holds more than {MOST_VALUES} values, its aliases written out"),
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
            self.refuse_tag(tag, extent)?;
        }
        if is_text || style != ScalarStyle::Plain {
            return Ok(Kind::Text(text.to_owned()));
        }
        resolve(text).map_err(|message| self.error(extent, message))
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, extent) => items.push(self.node(event, extent, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(Key, Node)>, Error> {
        let mut entries = Vec::new();
        let mut names = HashSet::new();
        loop {
            let (event, extent) = self.next()?;
            let name = match event {
                Event::MappingEnd => return Ok(entries),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err(self.error(extent, "a key must be a plain word or a text")),
            };
            if name == "<<" {
                return Err(self.error(extent, "merge keys are not supported"));
            }
            if !names.insert(name.clone()) {
                return Err(self.error(extent, format!("the key `{name}` stands here twice")));
            }
            let key = Key {
                name,
                span: self.span(extent),
            };
            let (event, extent) = self.next()?;
            entries.push((key, self.node(event, extent, depth + 1)?));
        }
    }

    fn refuse_tag(&self, tag: Option<&Tag>, extent: Extent) -> Result<(), Error> {
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
        place(
            extent.start,
            text.lines().next().unwrap_or_default().chars().count(),
        )
    }
}

fn place(marker: Marker, len: usize) -> Span {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Span {
        line: small(marker.line()),
        column: small(marker.col().saturating_add(1)),
        len: small(len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(text: &str) -> String {
        load_yaml("f.yaml", text).expect_err("refused").to_string()
    }

    #[test]
    fn a_tree_becomes_the_json_it_looks_like() {
        let text = "a: [1, yes, null, ~, '5', 2.5, true]\nb: &x { c: !!str 7 }\nd: *x\n404: |\n  two\n  lines\n";
        let node = load_yaml("f.yaml", text).expect("good YAML");
        let expected = json!({
            "a": [1, "yes", null, null, "5", 2.5, true], "b": {"c": "7"}, "d": {"c": "7"}, "404": "two\nlines\n"
        });
        assert_eq!(node.to_value(), expected);
    }

    #[test]
    fn every_value_and_key_knows_its_place() {
        let node = load_yaml("f.yaml", "a:\n  - größe: [x, 'y z']\n").expect("good YAML");
        let item = &node.get("a").and_then(Node::as_list).expect("a list")[0];
        let (key, list) = item.entry("größe").expect("the key");
        assert_eq!(
            key.span,
            Span {
                line: 2,
                column: 5,
                len: 5
            }
        );
        let second = &list.as_list().expect("a list")[1];
        assert_eq!(
            second.span(),
            Span {
                line: 2,
                column: 16,
                len: 5
            }
        );
    }

    #[test]
    fn an_empty_file_is_null() {
        assert!(
            load_yaml("f.yaml", "# nothing\n")
                .expect("good YAML")
                .is_null()
        );
    }

    #[test]
    fn an_error_shows_the_line_with_a_caret() {
        let expected = "the key `a` stands here twice
 --> f.yaml:3:1
  |
3 | a: 2
  | ^";
        assert_eq!(refusal("a: 1\nb: 1\na: 2\n"), expected);
    }

    #[test]
    fn what_is_not_supported_is_said() {
        let cases = [
            ("a: &x [*x]\n", "an alias inside the value it stands for"),
            ("a: !!binary aGk=\n", "the tag `!!binary` is not supported"),
            ("<<: {}\n", "merge keys are not supported"),
            ("? [a]\n: b\n", "a key must be a plain word or a text"),
            ("a\n---\nb\n", "a second document; a file holds one"),
            ("a: *b\n", "not valid YAML"),
            ("a: [1\n", "not valid YAML"),
            ("a: .inf\n", "is not a number that JSON can hold"),
        ];
        for (text, message) in cases {
            let refusal = refusal(text);
            assert!(refusal.contains(message), "{text:?} gave {refusal}");
            assert!(refusal.contains("--> f.yaml:"), "{text:?} gave {refusal}");
        }
    }

    #[test]
    fn an_alias_bomb_is_refused_at_the_alias_that_goes_too_far() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        let error = load_yaml("bomb.yaml", &text).expect_err("refused");
        assert_eq!(
            error.span,
            Span {
                line: 6,
                column: 10,
                len: 3
            }
        );
        assert_eq!(
            error.message,
            "the file holds more than 200000 values, its aliases written out"
        );
    }

    #[test]
    fn nesting_and_size_are_bounded() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(refusal(&deep).contains("nested more than 64 deep"));
        let deeper = "[".repeat(200_000);
        assert!(refusal(&deeper).contains("recursion limit exceeded"));
        let large = "a: b\n".repeat(LARGEST_FILE / 5 + 1);
        assert!(refusal(&large).contains("is larger than 4 MiB"));
    }
}
