//! References in other frames and in new values: to the frame itself, to the request that it answers, and to earlier frames.

use crate::selector::{FrameSelector, NestedKinds};
use frame_language::Pointer;
use serde_json::Value;
use std::cell::Cell;
use std::sync::Arc;

/// The id of an inserted request.
const NEW_ID: &str = "$new";
/// The numbers of inserted requests begin behind this one, so that no counter of an agent reaches them.
const INSERTED: u64 = 1_000_000_000_000_000;

/// What references can point to, besides the frame itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct References {
    /// The request that the frame answers.
    pub(crate) request: Option<Value>,
    newest: Vec<Newest>,
    inserted: Cell<u64>,
}

/// The newest frame of a name that a reference names.
#[derive(Debug, Clone)]
struct Newest {
    name: String,
    selector: FrameSelector,
    frame: Option<Value>,
}

/// A reference as written.
enum Reference<'t> {
    /// `$/pointer`, and `$` for the whole frame.
    Own(&'t str),
    /// `$request/pointer`.
    Request(&'t str),
    /// `$[NAME]/pointer`.
    Newest(&'t str, &'t str),
}

impl<'t> Reference<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let text = text.strip_prefix('$')?;
        if let Some(rest) = text.strip_prefix('[') {
            let (name, pointer) = rest.split_once(']')?;
            return Some(Reference::Newest(name, pointer));
        }
        match text.strip_prefix("request") {
            Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                Some(Reference::Request(pointer))
            }
            _ => Some(Reference::Own(text)),
        }
    }
}

impl References {
    /// Remembers the newest frames that these templates name.
    pub(crate) fn remember(&mut self, templates: &[&Value], nested: &Arc<NestedKinds>) {
        for name in templates.iter().flat_map(|template| names_in(template)) {
            let (side, plain) = match name.strip_prefix('>') {
                Some(plain) => (">", plain),
                None => ("", name),
            };
            let pattern = format!("{side}{}", Value::from(plain));
            let selector = FrameSelector::parse(&pattern, NestedKinds::new());
            if let (Ok(mut selector), false) = (selector, self.names(name)) {
                selector.nested = Arc::clone(nested);
                self.newest.push(Newest {
                    name: name.to_owned(),
                    selector,
                    frame: None,
                });
            }
        }
    }

    fn names(&self, name: &str) -> bool {
        self.newest.iter().any(|one| one.name == name)
    }

    /// Notes a frame of one side.
    pub(crate) fn note(&mut self, name: &str, frame: &Value, is_command: bool) {
        for one in &mut self.newest {
            let selector = &one.selector;
            if selector.is_of_commands() == is_command && selector.matches(name, frame) {
                one.frame = Some(frame.clone());
            }
        }
    }

    /// Whether every reference in a template to another frame finds something now.
    pub(crate) fn resolve(&self, template: &Value) -> bool {
        let mut texts = texts(template).into_iter();
        texts.all(|text| match Reference::read(text) {
            Some(Reference::Own(_)) | None => true,
            Some(_) => self.find(text, &Value::Null).is_some(),
        })
    }

    /// The value that a text refers to.
    fn find(&self, text: &str, own: &Value) -> Option<Value> {
        if text == NEW_ID {
            self.inserted.update(|count| count + 1);
            return Some((INSERTED + self.inserted.get()).into());
        }
        let (frame, pointer) = match Reference::read(text)? {
            Reference::Own(pointer) => (own, pointer),
            Reference::Request(pointer) => (self.request.as_ref()?, pointer),
            Reference::Newest(name, pointer) => {
                let newest = self.newest.iter().find(|one| one.name == name)?;
                (newest.frame.as_ref()?, pointer)
            }
        };
        Pointer::parse(pointer).ok()?.first(frame).cloned()
    }

    /// The value with each reference replaced by what it points to. A reference to nothing stays as it is.
    pub(crate) fn filled(&self, template: &Value, own: &Value) -> Value {
        match template {
            Value::String(text) => self.find(text, own).unwrap_or_else(|| template.clone()),
            Value::Array(items) => items.iter().map(|item| self.filled(item, own)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, value)| (name.clone(), self.filled(value, own)));
                Value::Object(members.collect())
            }
            plain => plain.clone(),
        }
    }
}

/// The names of the frames that the references in a template name.
pub(crate) fn names_in(template: &Value) -> impl Iterator<Item = &str> {
    let texts = texts(template).into_iter();
    texts.filter_map(|text| match Reference::read(text) {
        Some(Reference::Newest(name, _)) => Some(name),
        _ => None,
    })
}

/// All texts in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
