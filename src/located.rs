//! Values that remember their place in the YAML.

use std::path::PathBuf;

/// A place in a YAML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// What is wrong with a file that a user wrote, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file.
    pub file: PathBuf,
    /// The place in it; line 0 where no place can be named.
    pub span: Span,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The source around the place, as shown to the user.
    pub snippet: String,
}
