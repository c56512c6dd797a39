//! The data of a dialect that need no compilation: its bases and the names of its frames.

use crate::file::{FrameSpec, MemberNames, ToolName};
use crate::json_rpc::{ANSWER_TO_NOTHING, ANSWERS_TO_UNKNOWN, VERSION};
use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value};
use spanned_yaml::Node;
use std::borrow::Cow;

/// Where commands and matchers of scenarios hold the name of a message that is named by its structure. The message itself has no such member.
pub const STEP_NAME: &str = "/message";

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
    /// The JSON Pointer to the name; [`STEP_NAME`] if frames are named by their structure.
    pub discriminator: String,
    /// The names, with their nested kinds.
    pub names: IndexMap<String, FrameSpec>,
    /// How frames are named by their structure, if they are.
    pub structure: Option<MessageNames>,
}

/// The names of messages that are named by their structure.
#[derive(Debug, Clone, Default)]
pub struct MessageNames {
    /// The names of responses.
    pub answers: IndexSet<String>,
    /// Whether a message may leave out the member `jsonrpc`.
    pub is_version_optional: bool,
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
    /// The names of a side that is named by structure: its own methods, and the responses to the methods of the other side.
    #[must_use]
    pub fn by_structure(
        mut names: IndexMap<String, FrameSpec>,
        others: &IndexMap<String, FrameSpec>,
        is_version_optional: bool,
    ) -> Self {
        let requests = others.iter().filter(|(_, spec)| !spec.notification);
        let to_requests = requests
            .flat_map(|(method, _)| ["result", "error"].map(|end| format!("{method}.{end}")));
        let to_others = [ANSWER_TO_NOTHING]
            .into_iter()
            .chain(ANSWERS_TO_UNKNOWN)
            .map(str::to_owned);
        let answers: IndexSet<String> = to_requests.chain(to_others).collect();
        for name in &answers {
            names.entry(name.clone()).or_default();
        }
        FrameNames {
            discriminator: STEP_NAME.to_owned(),
            names,
            structure: Some(MessageNames {
                answers,
                is_version_optional,
            }),
        }
    }

    /// The method of this name, if this side has it.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<&FrameSpec> {
        let answers = &self.structure.as_ref()?.answers;
        self.names.get(name).filter(|_| !answers.contains(name))
    }

    /// Whether a name is that of a response, which needs no schema.
    #[must_use]
    pub fn is_answer(&self, name: &str) -> bool {
        let structure = self.structure.as_ref();
        structure.is_some_and(|structure| structure.answers.contains(name))
    }

    /// Whether every frame has the member at this place, so that its schema need not repeat it.
    #[must_use]
    pub fn is_envelope(&self, pointer: &str) -> bool {
        let of_message = ["/jsonrpc", "/id", "/method"];
        pointer == self.discriminator || self.structure.is_some() && of_message.contains(&pointer)
    }

    /// The name of the frame that a step of a scenario shows: at the discriminator, or that of its method.
    #[must_use]
    pub fn name_in_step<'v>(&self, step: &'v Value) -> Option<&'v str> {
        let name = step.pointer(&self.discriminator);
        let method = || step.get("method").filter(|_| self.structure.is_some());
        name.or_else(method).and_then(Value::as_str)
    }

    /// The frame that a step of a scenario shows, with the members that its name stands for, and with this id if it needs one and has none.
    #[must_use]
    pub fn message<'v>(&self, step: &'v Value, id: Option<Value>) -> Cow<'v, Value> {
        let (Some(structure), Some(members)) = (&self.structure, step.as_object()) else {
            return Cow::Borrowed(step);
        };
        let name = self.name_in_step(step).unwrap_or_default();
        let method = self.method(name);
        let mut message = Map::new();
        if !structure.is_version_optional {
            message.insert("jsonrpc".to_owned(), VERSION.into());
        }
        if let Some(id) = id.filter(|_| method.is_none_or(|spec| !spec.notification)) {
            message.insert("id".to_owned(), id);
        }
        if method.is_some() {
            message.insert("method".to_owned(), name.into());
        }
        let own = STEP_NAME.trim_start_matches('/');
        let others = members.iter().filter(|(key, _)| *key != own);
        message.extend(others.map(|(key, value)| (key.clone(), value.clone())));
        Cow::Owned(message.into())
    }

    /// A message of a session as steps see it: with its name, if it is named by its structure.
    pub fn named<'v>(&self, message: &'v Value, name: Option<&str>) -> Cow<'v, Value> {
        match (&self.structure, message, name) {
            (Some(_), Value::Object(members), Some(name)) => {
                let mut members = members.clone();
                members.insert(STEP_NAME.trim_start_matches('/').to_owned(), name.into());
                Cow::Owned(members.into())
            }
            _ => Cow::Borrowed(message),
        }
    }

    /// The members that give a frame this name, `name` or `name.kind`, as pointers and texts.
    pub fn naming<'a>(&'a self, name: &'a str) -> Vec<(&'a str, &'a str)> {
        let split = name
            .split_once('.')
            .filter(|(outer, _)| self.names.contains_key(*outer) && !self.is_answer(name));
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
        let Some(name) = self.name_in_step(frame) else {
            let is_answer = |key: &&str| frame.get(key).is_some();
            return match self.structure {
                Some(_) if ["result", "error"].iter().any(is_answer) => {
                    FrameIdentity::Unknown(ANSWER_TO_NOTHING.to_owned())
                }
                _ => FrameIdentity::Missing,
            };
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
