//! A file's text and the places in it.

use super::Error;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::path::PathBuf;

/// A place in a YAML file.
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
pub struct Source {
    /// The file's name as the user knows it.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

const WIDTH: usize = 160;

impl Source {
    /// An error at a place in this file, with the YAML shown.
    #[must_use]
    pub fn error(&self, span: Span, message: impl Into<String>) -> Error {
        Error {
            file: self.path.clone(),
            span,
            message: message.into(),
            snippet: self.snippet(span),
        }
    }

    /// The line at the place and a caret below it; empty where the file has no such line.
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

/// The byte at which a line's character of this number starts; the line's length behind its end.
fn byte_of(line: &str, character: usize) -> usize {
    line.char_indices()
        .nth(character)
        .map_or(line.len(), |(at, _)| at)
}
