//! The way to a value, written down only when it is shown.

use std::fmt;

/// A JSON Pointer (RFC 6901) as a chain of borrowed steps.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointer<'a> {
    Root,
    Entry(&'a Pointer<'a>, &'a str),
    Item(&'a Pointer<'a>, usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pointer::Root => Ok(()),
            Pointer::Entry(parent, name) => {
                write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Pointer::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}
