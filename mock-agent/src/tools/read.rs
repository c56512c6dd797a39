//! `Read`: a file's lines with their numbers, or an image.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use super::{Media, base64, sniff};
use crate::core::approval::Category;
use crate::core::call::{Outcome, Output};
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::rc::Rc;

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

/// The biggest file that is read.
pub(crate) const MAX_BYTES: u64 = 5 << 20;

#[derive(Deserialize)]
pub(crate) struct Read {
    pub(crate) file_path: String,
    pub(crate) offset: Option<usize>,
    pub(crate) limit: Option<usize>,
}

impl Job for Read {
    fn describe(&self) -> String {
        format!("Read {}", self.file_path)
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move { self.read(cx).unwrap_or_else(Outcome::error) })
    }
}

impl Read {
    fn read(&self, cx: Cx<'_>) -> Result<Outcome, String> {
        let path = cx.workspace.resolve(&self.file_path)?;
        let bytes = load(&path).map_err(|why| format!("{}: {why}", self.file_path))?;
        if let Some(Media::Image(media_type)) = sniff(&bytes) {
            let output = Output::Image {
                media_type: media_type.to_owned(),
                data: base64(&bytes),
            };
            return Ok(Outcome { ok: true, output });
        }
        if bytes.contains(&0) {
            return Err(format!("{}: not a text file", self.file_path));
        }
        let text = String::from_utf8_lossy(&bytes);
        let first = self.offset.unwrap_or(1).max(1);
        let lines = text
            .lines()
            .enumerate()
            .skip(first - 1)
            .take(self.limit.unwrap_or(usize::MAX));
        let numbered: Vec<_> = lines
            .map(|(i, line)| format!("{:>6}\t{line}", i + 1))
            .collect();
        Ok(Outcome::text(clip(numbered.join("\n"), 0)))
    }
}

/// A whole file of bearable size.
pub(super) fn load(path: &Path) -> Result<Vec<u8>, String> {
    let about = path.metadata().map_err(|error| reason(&error))?;
    if !about.is_file() {
        return Err("not a file".into());
    }
    if about.len() > MAX_BYTES {
        return Err(format!("{} bytes are more than is read", about.len()));
    }
    std::fs::read(path).map_err(|error| reason(&error))
}

/// An I/O error without its number, so that it reads the same everywhere.
pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
