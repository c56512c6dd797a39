//! Patterns as written: names of frames, and conditions on them.

use crate::condition::Condition;

/// A pattern: a frame matches it if it matches one of its atoms.
#[derive(Debug, Clone, Default)]
pub struct Pattern(pub Vec<Atom>);

/// One alternative of a pattern.
#[derive(Debug, Clone)]
pub struct Atom {
    /// The frames with one of these names,…
    pub frames: Vec<FrameName>,
    /// …or, after `!`, every event except them…
    pub negated: bool,
    /// …for which all of these are true.
    pub guards: Vec<Condition>,
    /// The name of the frame or of the class, with its `!`.
    pub name: String,
    /// The guards that are about one place of the frame, as written.
    pub places: Vec<String>,
    /// The class that it comes from.
    pub class: Option<String>,
    /// The source text, for messages.
    pub source: String,
    /// The byte offset of the name.
    pub at: usize,
}

/// Which frames an atom names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameName {
    /// `any`: every event.
    Any,
    /// `>any`: every command.
    AnyCommand,
    /// An event, a nested kind as `outer.inner`, or one of these as a command after `>`.
    Named(String),
}

impl Atom {
    /// The frames of a name, without guards.
    pub(crate) fn named(name: &str, frame: FrameName, at: usize) -> Self {
        Atom {
            frames: vec![frame],
            negated: false,
            guards: Vec::new(),
            name: name.to_owned(),
            places: Vec::new(),
            class: None,
            source: name.to_owned(),
            at,
        }
    }
}
