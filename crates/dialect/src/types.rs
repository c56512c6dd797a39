//! The data of a dialect that need no compilation: its bases and the names of its frames.

use crate::file::{FrameSpec, MemberNames, ToolName};
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::Node;

/// A dialect that another one extends.
#[derive(Debug, Clone)]
pub struct Base {
    /// `NAME@VERSION`.
    pub id: String,
    /// How its scenarios are rewritten for the dialect that extends it.
    pub inheritance: Inheritance,
}

/// How scenarios are rewritten for the dialect, or the agent, that inherits them.
#[derive(Debug, Clone, Default)]
pub struct Inheritance {
    /// The ids of the only scenarios to inherit, with their locations; all if empty.
    pub keep: Vec<Node>,
    /// The ids of scenarios not to inherit, with their locations.
    pub drop: Vec<Node>,
    /// Renamed members of frames: the frame (`>` and the name of a command), then the old and the new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
    /// The members of the base's frames that hold tools and calls.
    pub members: MemberNames,
    /// Renamed tools, by the old name.
    pub tools: IndexMap<String, ToolName>,
    /// The clauses of the base that are removed.
    pub without_clauses: Vec<String>,
    /// How events write the id that the model gave a call: a regular expression that contains `{id}`. `None`: unchanged.
    pub call_ids: Option<String>,
    /// The JSON Pointers to the name of an event and of a command.
    pub names_at: (String, String),
}

/// The frame names of one direction: events or commands.
#[derive(Debug, Clone, Default)]
pub struct FrameNames {
    /// The JSON Pointer to the name.
    pub discriminator: String,
    /// The names, with their nested kinds.
    pub names: IndexMap<String, FrameSpec>,
}

/// The name of a frame, as its discriminators give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameIdentity {
    /// A known name, and `name.kind` if the frame has a nested kind.
    Known(String, Option<String>),
    /// A name or a nested kind that the dialect does not have.
    Unknown(String),
    /// The frame has no string at the discriminator.
    Missing,
}

impl FrameIdentity {
    /// Whether this is the name of the frame, or its nested kind as `name.kind`.
    #[must_use]
    pub fn is(&self, known: &str) -> bool {
        matches!(self, FrameIdentity::Known(name, kind) if name == known || kind.as_deref() == Some(known))
    }

    /// The most precise name that the frame has, known or not.
    #[must_use]
    pub fn into_name(self) -> Option<String> {
        match self {
            FrameIdentity::Known(name, kind) => kind.or(Some(name)),
            FrameIdentity::Unknown(name) => Some(name),
            FrameIdentity::Missing => None,
        }
    }
}

impl FrameNames {
    /// The members that give a frame this name, `name` or `name.kind`, as pointers and texts.
    pub fn naming<'a>(&'a self, name: &'a str) -> Vec<(&'a str, &'a str)> {
        let split = name
            .split_once('.')
            .filter(|(outer, _)| self.names.contains_key(*outer));
        let (outer, kind) = split.map_or((name, None), |(outer, kind)| (outer, Some(kind)));
        let at = self.names.get(outer).and_then(|spec| spec.kind.as_deref());
        let kind = at.zip(kind);
        std::iter::once((self.discriminator.as_str(), outer))
            .chain(kind)
            .collect()
    }

    /// Every name, and every nested kind as `name.kind`.
    pub fn all(&self) -> impl Iterator<Item = String> {
        self.names.iter().flat_map(|(name, file)| {
            let kinds = file.kinds.iter().map(move |kind| format!("{name}.{kind}"));
            std::iter::once(name.clone()).chain(kinds)
        })
    }

    /// The name of a frame.
    pub fn identify(&self, frame: &Value) -> FrameIdentity {
        let Some(name) = frame.pointer(&self.discriminator).and_then(Value::as_str) else {
            return FrameIdentity::Missing;
        };
        let Some(file) = self.names.get(name) else {
            return FrameIdentity::Unknown(name.to_owned());
        };
        let Some(at) = &file.kind else {
            return FrameIdentity::Known(name.to_owned(), None);
        };
        match frame.pointer(at).and_then(Value::as_str) {
            None => FrameIdentity::Known(name.to_owned(), None),
            Some(kind) if file.kinds.iter().any(|k| k == kind) => {
                FrameIdentity::Known(name.to_owned(), Some(format!("{name}.{kind}")))
            }
            Some(kind) => FrameIdentity::Unknown(format!("{name}.{kind}")),
        }
    }
}
