//! Tool calls and shell commands, and their results.

use super::approval::Category;
use serde_json::Value;
use std::path::PathBuf;

/// A shell command of the host's own, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ShellResult {
    pub(crate) command: String,
    /// What it wrote, or the end of it.
    pub(crate) output: String,
    /// None if it was killed.
    pub(crate) code: Option<i32>,
    /// Whether the host cancelled it.
    pub(crate) cancelled: bool,
    /// Where all of a long output is.
    pub(crate) whole: Option<PathBuf>,
}

/// A tool call as the host sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// Unique in the process.
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// What kind of tool it is.
    pub(crate) category: Category,
    /// The arguments, an object.
    pub(crate) args: Value,
    /// What the call would do, in one line.
    pub(crate) description: String,
}

/// What a tool came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Whether it did what was asked.
    pub(crate) ok: bool,
    /// What it gives back.
    pub(crate) output: Output,
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Output {
    /// Text.
    Text(String),
    /// A unified diff of the file at this path.
    Diff { diff: String, path: String },
    /// An image, in base64.
    Image { media_type: String, data: String },
}

impl Outcome {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Outcome {
            ok: true,
            output: Output::Text(text.into()),
        }
    }

    pub(crate) fn error(text: impl Into<String>) -> Self {
        Outcome {
            ok: false,
            output: Output::Text(text.into()),
        }
    }
}
