//! Loads files that the user attaches to a prompt.

use crate::model::ContentBlock;
use crate::tools::{FileError, Media, read_file, sniff};
use data_encoding::BASE64;
use std::path::Path;
use thiserror::Error;

/// The maximum size of an attachment.
const MAX_BYTES: u64 = 5 << 20;

/// Why the model cannot get an attachment.
#[derive(Debug, Error)]
#[error("Attachment {path}: {why}")]
pub(crate) struct AttachmentError {
    pub(crate) path: String,
    pub(crate) why: FileError,
}

/// Reads an attached file; a relative path starts at the workspace. The user may attach a file from anywhere.
///
/// # Errors
/// The model cannot get the file.
pub(crate) fn load(path: &str, workspace: &Path) -> Result<ContentBlock, AttachmentError> {
    block(path, &workspace.join(path)).map_err(|why| AttachmentError {
        path: path.to_owned(),
        why,
    })
}

fn block(path: &str, full: &Path) -> Result<ContentBlock, FileError> {
    let bytes = read_file(full, MAX_BYTES)?;
    match sniff(&bytes) {
        Some(Media::Image(media_type)) => Ok(ContentBlock::Image {
            media_type: media_type.to_owned(),
            data: BASE64.encode(&bytes),
        }),
        Some(Media::Document(media_type)) => Ok(ContentBlock::Document {
            name: name(full),
            media_type: media_type.to_owned(),
            data: BASE64.encode(&bytes),
        }),
        None => match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(ContentBlock::Text(format!(
                "<file path=\"{path}\">\n{text}\n</file>"
            ))),
            _ => Err(FileError::NotShowable),
        },
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
