//! What is wrong with a file that a user wrote, and where.

use super::Span;
use std::fmt;
use std::path::PathBuf;

/// What is wrong with a file that a user wrote, and where.
///
/// Its `Display` is the whole message, to stand behind `error: `: what is wrong, then the place and the YAML with a caret.
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

impl std::error::Error for Error {}

impl Error {
    /// An error about a file as a whole.
    #[must_use]
    pub fn of_file(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Error {
            file: file.into(),
            span: Span::default(),
            message: message.into(),
            snippet: String::new(),
        }
    }

    /// `file:line:column: message`, on one line.
    #[must_use]
    pub fn headline(&self) -> String {
        let Span { line, column, .. } = self.span;
        let file = self.file.display();
        if line == 0 {
            format!("{file}: {}", self.message)
        } else {
            format!("{file}:{line}:{column}: {}", self.message)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.snippet.is_empty() {
            return f.write_str(&self.headline());
        }
        write!(f, "{}\n{}", self.message, self.snippet)
    }
}

/// Several errors as shown to the user, one below the other, each behind `error: `.
#[must_use]
pub fn render_all(errors: &[Error]) -> String {
    errors
        .iter()
        .map(|error| format!("error: {error}\n"))
        .collect::<Vec<_>>()
        .join("\n")
}
