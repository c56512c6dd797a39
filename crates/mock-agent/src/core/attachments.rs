//! Loads files that the user attaches to a prompt.

use crate::model::message::ContentBlock;
use crate::tools::{Media, sniff};
use data_encoding::BASE64;
use std::path::Path;

/// The biggest attachment.
const MAX_BYTES: u64 = 5 << 20;

/// Reads an attached file; a relative path starts at the workspace. The user may attach a file from anywhere.
///
/// # Errors
/// Why the model cannot be shown the file.
pub(crate) fn load(path: &str, workspace: &Path) -> Result<ContentBlock, String> {
    let failed = |why: &dyn std::fmt::Display| format!("Attachment {path}: {why}");
    let full = workspace.join(path);
    let about = full.metadata().map_err(|_| failed(&"no such file"))?;
    if !about.is_file() {
        return Err(failed(&"not a file"));
    }
    if about.len() > MAX_BYTES {
        return Err(failed(&format_args!(
            "{} bytes are more than the {MAX_BYTES} that may be attached",
            about.len()
        )));
    }
    let bytes = std::fs::read(&full).map_err(|error| failed(&error))?;
    match sniff(&bytes) {
        Some(Media::Image(media_type)) => Ok(ContentBlock::Image {
            media_type: media_type.to_owned(),
            data: BASE64.encode(&bytes),
        }),
        Some(Media::Document(media_type)) => Ok(ContentBlock::Document {
            name: name(&full),
            media_type: media_type.to_owned(),
            data: BASE64.encode(&bytes),
        }),
        None => match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(ContentBlock::Text(format!(
                "<file path=\"{path}\">\n{text}\n</file>"
            ))),
            _ => Err(failed(&"neither text nor an image nor a PDF document")),
        },
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
