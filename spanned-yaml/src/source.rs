//! The text of a file ([`SourceText`]) and locations in it ([`Span`]).

use std::path::PathBuf;

/// A location in a YAML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Characters of the value on that line; 0 where it has no extent of its own.
    pub len: u32,
}

/// The text of one file, kept for as long as values of it are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The file's name as the user knows it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}
