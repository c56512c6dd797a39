//! Errors of transcripts, with their position.

use super::header::VERSION;
use std::{fmt, io};

/// An error that ends the reading of a transcript.
#[derive(Debug)]
pub struct TranscriptError {
    /// The line of the file, from 1.
    pub line: u64,
    /// The byte column, from 1, if one place is wrong.
    pub column: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a transcript.
#[derive(Debug)]
pub enum Problem {
    /// Reading failed.
    Io(io::Error),
    /// The header is invalid.
    BadHeader(String),
    /// A version of the format that this program does not know.
    UnsupportedVersion(String),
    /// The file ends inside a record.
    Cut,
    /// A record that is longer than the limit, with its length in bytes.
    TooLong(u64),
    /// A line that is not JSON.
    NotJson(String),
    /// A record with an unknown `dir`.
    UnknownDir(String),
    /// A record with a missing or wrong field.
    BadRecord(String),
}

impl TranscriptError {
    /// `file:line:column: message`.
    #[must_use]
    pub fn in_file(&self, file: impl fmt::Display) -> String {
        match self.column {
            Some(column) => format!("{file}:{}:{column}: {}", self.line, self.problem),
            None => format!("{file}:{}: {}", self.line, self.problem),
        }
    }
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            Some(column) => write!(f, "line {}, column {column}: {}", self.line, self.problem),
            None => write!(f, "line {}: {}", self.line, self.problem),
        }
    }
}

impl std::error::Error for TranscriptError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) => write!(f, "cannot be read: {error}"),
            Problem::BadHeader(why) => write!(f, "the transcript's header is broken: {why}"),
            Problem::UnsupportedVersion(found) => {
                write!(
                    f,
                    "a transcript of version {found}; this program reads version {VERSION}"
                )
            }
            Problem::Cut => write!(f, "the file is cut in the middle of this record"),
            Problem::TooLong(length) => write!(
                f,
                "a record of {length} bytes is longer than any that can be held"
            ),
            Problem::NotJson(why) => write!(f, "not JSON: {why}"),
            Problem::UnknownDir(dir) => write!(
                f,
                "unknown dir \"{dir}\"; known are {}",
                super::record::DIRS.join(", ")
            ),
            Problem::BadRecord(why) => write!(f, "not a transcript record: {why}"),
        }
    }
}
