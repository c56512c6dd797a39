//! Attached files ("RpcAttachment", lines 54 to 73): absolute paths without `..`, read at once.

use crate::core::attachments::{AttachmentError, load};
use crate::faults::{Bug, Faults};
use crate::model::ContentBlock;
use crate::tools::FileError;
use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Deserialize)]
pub(super) struct SynapsAttachment {
    path: String,
    name: Option<String>,
    mime: Option<String>,
}

impl SynapsAttachment {
    /// The block that the model gets for the file.
    ///
    /// # Errors
    /// The path is not accepted, or the file cannot be read.
    pub(super) fn read(
        &self,
        root: &Path,
        faults: &Faults,
    ) -> Result<ContentBlock, AttachmentError> {
        self.check(faults)?;
        let mut block = load(&self.path, root)?;
        let (name, mime) = (self.name.as_ref(), self.mime.as_ref());
        match &mut block {
            ContentBlock::Document {
                name: known,
                media_type,
                ..
            } => {
                name.inspect(|name| known.clone_from(name));
                mime.inspect(|mime| media_type.clone_from(mime));
            }
            ContentBlock::Text(text) => {
                name.inspect(|name| text.insert_str(0, &format!("{name}:\n")));
            }
            _ => {}
        }
        Ok(block)
    }

    fn check(&self, faults: &Faults) -> Result<(), AttachmentError> {
        let path = &self.path;
        let failed = |why| {
            let path = path.clone();
            Err(AttachmentError { path, why })
        };
        if !Path::new(path).is_absolute() && !faults.triggers(Bug::AcceptsRelativePaths) {
            return failed(FileError::RelativePath);
        }
        let climbs = path.split('/').any(|segment| segment == "..");
        if climbs && !faults.triggers(Bug::AcceptsDotDot) {
            return failed(FileError::ParentSegment);
        }
        Ok(())
    }
}
