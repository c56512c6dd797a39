//! Locations in a file that a user wrote, and errors with a message, a location, and a snippet of the source with a caret.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
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

/// A mistake in a file that a user wrote, with its location.
///
/// `Display` gives the whole text after `error: `: the message, then the location and the YAML with a caret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Error {
    /// The file.
    pub file: PathBuf,
    /// The location in it; line 0 if the error is about the whole file.
    pub span: Span,
    /// The mistake, in one sentence.
    pub message: String,
    /// The lines of the source around the location, as shown to the user.
    pub snippet: String,
}

impl std::error::Error for Error {}

impl Error {
    /// An error about a file as a whole.
    pub fn of_file(file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Error {
            file: file.into(),
            span: Span::default(),
            message: message.into(),
            snippet: String::new(),
        }
    }

    /// `file:line:column: message`, on one line.
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

/// Widest snippet, in columns.
const WIDTH: usize = 160;

impl SourceText {
    /// An error at a location in this file, with the YAML shown.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Error {
        Error {
            file: self.path.clone(),
            span,
            message: message.into(),
            snippet: self.snippet(span),
        }
    }

    /// The line of the span with a caret below it; empty if the file has no such line.
    fn snippet(&self, span: Span) -> String {
        let Some(line) = (span.line as usize)
            .checked_sub(1)
            .and_then(|n| self.text.lines().nth(n))
        else {
            return String::new();
        };
        let start = byte_of(line, span.column.saturating_sub(1) as usize);
        let end = byte_of(
            line,
            (span.column.saturating_sub(1) + span.len.max(1)) as usize,
        );
        let snippet = Snippet::source(line)
            .line_start(span.line as usize)
            .path(self.path.to_string_lossy())
            .annotation(AnnotationKind::Primary.span(start..end.max(start)));
        let titled = Level::ERROR.primary_title("").element(snippet);
        let rendered = Renderer::plain().term_width(WIDTH).render(&[titled]);
        rendered
            .split_once('\n')
            .map_or(String::new(), |(_, body)| body.trim_end().to_owned())
    }
}

/// The byte offset of a character in a line; the line's length past its end.
fn byte_of(line: &str, character: usize) -> usize {
    line.char_indices()
        .nth(character)
        .map_or(line.len(), |(at, _)| at)
}

/// Several errors as shown to the user, one below the other, each with the prefix `error: `.
pub fn render_all(errors: &[Error]) -> String {
    errors
        .iter()
        .map(|error| format!("error: {error}\n"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every value, or the mistakes of all.
///
/// # Errors
/// The mistakes of each value that has some.
pub fn all_or_mistakes<T, E>(
    results: impl Iterator<Item = Result<T, Vec<E>>>,
) -> Result<Vec<T>, Vec<E>> {
    let (mut values, mut mistakes) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(found) => mistakes.extend(found),
        }
    }
    mistakes.is_empty().then_some(values).ok_or(mistakes)
}

/// A location, for tests.
#[cfg(test)]
pub(crate) fn at(line: u32, column: u32, len: u32) -> Span {
    Span { line, column, len }
}
