//! The names of a dialect's frames, and how to tell which frame is which.

use super::file::NameFile;
use indexmap::IndexMap;
use serde_json::Value;

/// The names of one direction.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Where the name stands.
    pub discriminator: String,
    /// The names, with the nested kinds of each.
    pub names: IndexMap<String, NameFile>,
}

/// What a frame's discriminators say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A known name; with nested kinds, `outer.inner` behind it.
    Known(String, Option<String>),
    /// A name, or a nested kind, that this dialect does not have.
    Unknown(String),
    /// No string where the name should stand.
    Missing,
}

impl Vocabulary {
    /// Every name, nested kinds as `outer.inner`.
    pub fn all(&self) -> impl Iterator<Item = String> {
        self.names.iter().flat_map(|(name, file)| {
            let kinds = file.kinds.iter().map(move |kind| format!("{name}.{kind}"));
            std::iter::once(name.clone()).chain(kinds)
        })
    }

    /// Tells what a frame is.
    #[must_use]
    pub fn name(&self, frame: &Value) -> Named {
        let Some(name) = frame.pointer(&self.discriminator).and_then(Value::as_str) else {
            return Named::Missing;
        };
        let Some(file) = self.names.get(name) else {
            return Named::Unknown(name.to_owned());
        };
        let Some(at) = &file.kind else {
            return Named::Known(name.to_owned(), None);
        };
        match frame.pointer(at).and_then(Value::as_str) {
            None => Named::Known(name.to_owned(), None),
            Some(kind) if file.kinds.iter().any(|k| k == kind) => {
                Named::Known(name.to_owned(), Some(format!("{name}.{kind}")))
            }
            Some(kind) => Named::Unknown(format!("{name}.{kind}")),
        }
    }
}
