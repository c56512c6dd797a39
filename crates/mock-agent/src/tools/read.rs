//! `Read` tool: the lines of a file with their numbers, or an image.

use super::files::{MAX_FILE_BYTES, read_file};
use super::media::{Media, sniff};
use super::output_limit::truncate;
use super::tool::parse;
use super::{
    Category, FileError, InstantJob, Tool, ToolContext, ToolError, ToolOutput, ToolResult,
};
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::json;

pub(crate) const TOOL: Tool = Tool {
    name: "Read",
    category: Category::Info,
    purpose: "Reads a file: text with line numbers, or an image.",
    parameters: || {
        json!({ "type": "object", "required": ["file_path"], "properties": {
            "file_path": { "type": "string", "description": "The file." },
            "offset": { "type": "integer", "minimum": 1, "description": "The first line to read." },
            "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
        } })
    },
    parse: parse::<Read>,
};

#[derive(Deserialize)]
pub(crate) struct Read {
    pub(crate) file_path: String,
    pub(crate) offset: Option<usize>,
    pub(crate) limit: Option<usize>,
    /// How the chosen lines of a text are shown.
    #[serde(skip, default = "with_numbers")]
    pub(crate) show: fn(&Read, &str) -> Result<String, ToolError>,
}

impl InstantJob for Read {
    fn describe(&self) -> String {
        format!("Read {}", self.file_path)
    }

    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError> {
        let path = context.workspace.resolve(&self.file_path)?;
        let failed = ToolError::of_file(&self.file_path);
        let bytes = read_file(&path, MAX_FILE_BYTES).map_err(&failed)?;
        if let Some(Media::Image(media_type)) = sniff(&bytes) {
            let output = ToolOutput::Image {
                media_type: media_type.to_owned(),
                data: BASE64.encode(&bytes),
            };
            return Ok(ToolResult::output(output));
        }
        if bytes.contains(&0) {
            return Err(failed(FileError::NotText));
        }
        let text = String::from_utf8_lossy(&bytes);
        let shown = (self.show)(self, &text)?;
        Ok(ToolResult::text(truncate(shown, 0)))
    }
}

fn with_numbers() -> fn(&Read, &str) -> Result<String, ToolError> {
    chosen
}

fn chosen(read: &Read, text: &str) -> Result<String, ToolError> {
    let skipped = read.offset.unwrap_or(1).max(1) - 1;
    let lines = text.lines().skip(skipped);
    let lines = lines.take(read.limit.unwrap_or(usize::MAX));
    Ok(numbered(lines, read.offset))
}

/// Lines with their numbers, from this one on.
pub(crate) fn numbered<'t>(lines: impl Iterator<Item = &'t str>, first: Option<usize>) -> String {
    let first = first.unwrap_or(1).max(1);
    let lines: Vec<_> = lines
        .enumerate()
        .map(|(i, line)| format!("{:>6}\t{line}", i + first))
        .collect();
    lines.join("\n")
}
