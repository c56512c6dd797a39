//! JSON Pointers (RFC 6901) while a value is walked, and their steps (section 3): `~` and `/` in a name are escaped.

use std::fmt;

/// A JSON Pointer as a chain of borrowed steps: text is allocated only when it is shown.
#[derive(Debug, Clone, Copy)]
pub enum Pointer<'a> {
    /// To the whole value.
    Root,
    /// To the entry of this name.
    Entry(&'a Pointer<'a>, &'a str),
    /// To the element at this index.
    Item(&'a Pointer<'a>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pointer::Root => Ok(()),
            Pointer::Entry(parent, name) => write!(f, "{parent}/{}", escape_step(name)),
            Pointer::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

/// A name as a step of a pointer.
pub fn escape_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a step of a pointer encodes.
pub fn unescape_step(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The name that the last step of a pointer encodes; empty for the whole value.
pub fn last_step(pointer: &str) -> String {
    unescape_step(pointer.rsplit('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_after_both() {
        for (name, step) in [("a/b", "a~1b"), ("~1", "~01"), ("plain", "plain")] {
            assert_eq!(escape_step(name), step);
            assert_eq!(unescape_step(step), name);
            assert_eq!(last_step(&format!("/x/{step}")), name);
        }
    }
}
