//! The names of a dialect's frames, and how to tell which frame is which.

use super::file::FrameSpec;
use indexmap::IndexMap;
use serde_json::Value;

/// The names of one direction.
#[derive(Debug, Clone, Default)]
pub struct FrameNames {
    /// Where the name stands.
    pub discriminator: String,
    /// The names, with the nested kinds of each.
    pub names: IndexMap<String, FrameSpec>,
}

/// What a frame's discriminators say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameIdentity {
    /// A known name; with nested kinds, `outer.inner` behind it.
    Known(String, Option<String>),
    /// A name, or a nested kind, that this dialect does not have.
    Unknown(String),
    /// No string where the name should stand.
    Missing,
}

impl FrameNames {
    /// Every name, nested kinds as `outer.inner`.
    pub fn all(&self) -> impl Iterator<Item = String> {
        self.names.iter().flat_map(|(name, file)| {
            let kinds = file.kinds.iter().map(move |kind| format!("{name}.{kind}"));
            std::iter::once(name.clone()).chain(kinds)
        })
    }

    /// Tells what a frame is.
    #[must_use]
    pub fn name(&self, frame: &Value) -> FrameIdentity {
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
