//! Errors of transcripts, with their position.

use std::fmt;

/// An error that ends the reading of a transcript.
#[derive(Debug)]
pub struct TranscriptError {
    /// The line of the file, from 1.
    pub line: u64,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a line of a transcript.
#[derive(Debug)]
pub struct Problem {
    /// The byte column, from 1, if one place is wrong.
    column: Option<usize>,
    message: String,
    /// Whether the line is not JSON, as one that was cut.
    pub(super) is_syntax: bool,
}

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Problem {
            column: None,
            message: message.into(),
            is_syntax: false,
        }
    }

    pub(super) fn of_record(why: impl fmt::Display) -> Self {
        Problem::new(format!("not a transcript record: {why}"))
    }

    /// A mistake of JSON, or in the shape of a record or header, after this text.
    pub(super) fn of_json(what: &str, error: &serde_json::Error) -> Self {
        Problem {
            column: (error.line() > 0).then(|| error.column().max(1)),
            is_syntax: !error.is_data(),
            ..Problem::new(format!("{what}: {}", reason(error)))
        }
    }

    /// The file ends inside of a record, before this column.
    pub(super) fn cut(column: Option<usize>) -> Self {
        Problem {
            column,
            ..Problem::new("the file is cut in the middle of this record")
        }
    }
}

/// The message of the JSON parser, without its position.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or(&said).to_owned()
}

impl TranscriptError {
    /// `file:line:column: message`.
    pub fn in_file(&self, file: impl fmt::Display) -> String {
        let Problem {
            column, message, ..
        } = &self.problem;
        match column {
            Some(column) => format!("{file}:{}:{column}: {message}", self.line),
            None => format!("{file}:{}: {message}", self.line),
        }
    }
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = self.problem.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}", self.problem.message)
    }
}

impl std::error::Error for TranscriptError {}
