//! Why a call of a tool fails, in words for the model.

use std::io;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum ToolError {
    #[error("There is no tool named {name:?}.")]
    UnknownTool { name: String },
    #[error("The arguments of {name} are not a JSON object.")]
    NoObject { name: String },
    #[error("The arguments of {name} are invalid: {source}.")]
    Arguments {
        name: String,
        source: serde_json::Error,
    },
    #[error("{path} is outside the workspace")]
    Outside { path: String },
    #[error("{path}: {source}")]
    File { path: String, source: FileError },
    #[error("Offset {offset} is beyond end of file ({lines} lines total)")]
    Offset { offset: usize, lines: usize },
    #[error("{pattern:?} is not a glob pattern")]
    Glob { pattern: String },
    #[error("{pattern:?} is not a regular expression")]
    Regex { pattern: String },
}

impl ToolError {
    /// A failure with the file at this path, as the model has written it.
    pub(super) fn of_file<E: Into<FileError>>(path: &str) -> impl Fn(E) -> ToolError + '_ {
        |error| ToolError::File {
            path: path.to_owned(),
            source: error.into(),
        }
    }
}

/// Why a file or a folder cannot be used.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    /// Without the error number, so that it is the same on every system.
    #[error("no such file")]
    Missing,
    #[error("permission denied")]
    Denied,
    #[error("not a file")]
    NotAFile,
    #[error("the file is too big: {bytes} bytes")]
    TooBig { bytes: u64 },
    #[error("not a text file")]
    NotText,
    #[error("a broken symbolic link")]
    BrokenLink,
    #[error("not a folder")]
    NotAFolder,
    #[error("neither text nor an image nor a PDF document")]
    NotShowable,
    #[error("the path is not absolute")]
    RelativePath,
    #[error("the path has a `..` segment")]
    ParentSegment,
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => FileError::Missing,
            io::ErrorKind::PermissionDenied => FileError::Denied,
            _ => FileError::Io(error),
        }
    }
}

/// Why a text cannot be replaced in a file.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum EditError {
    #[error("the text to replace is empty")]
    Empty,
    #[error("the new text is the same as the old")]
    Same,
    #[error("the text to replace does not occur in the file")]
    Missing,
    #[error("the text to replace occurs {count} times in the file; it must be unique")]
    Ambiguous { count: usize },
    #[error("two texts to replace overlap")]
    Overlap,
}
