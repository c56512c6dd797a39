//! "Input Protocol" of pi@0.14: its four commands, and the attachments of prompts as blocks for the model.

use super::adapters::LINE_LIMIT;
use super::{PiSession, PiState};
use crate::core::{Failure, Halt, Prompt};
use crate::faults::Bug;
use crate::model::ContentBlock;
use crate::os::stdin::Input;
use crate::protocols::commands::{CommandTable, SilentHandler, argument, take_silently};
use crate::tools::{Media, sniff};
use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

const COMMANDS: &CommandTable<(), SilentHandler<PiState>> = &[
    ("prompt", (), prompt),
    ("abort", (), |session, _| {
        session.stop(Halt::Stop);
        Ok(())
    }),
    ("compact", (), |session, command| {
        session.compact(argument(&command, "customInstructions")?)
    }),
    ("bash", (), |session, command| {
        session.run_shell_command(argument(&command, "command")?)
    }),
];

pub(super) fn take(session: PiSession<'_>, input: &Input) {
    take_silently(session, input, (COMMANDS, ()), LINE_LIMIT);
}

fn prompt(session: PiSession<'_>, command: Value) -> Result<(), Failure> {
    let text = argument(&command, "message")?;
    let attachments: Option<Vec<Value>> = argument(&command, "attachments")?;
    if session.has_turn() && session.faults.triggers(Bug::RefusesPromptsInRun) {
        return Err(Failure::protocol("A run is at work"));
    }
    let attachments = attachments.unwrap_or_default();
    let blocks = attachments.iter().map(block).collect::<Result<_, _>>();
    session.submit_prompt(Prompt {
        turn: session.next_turn_id(),
        text,
        blocks: blocks.map_err(|why| format!("Invalid attachment: {why}"))?,
        attachments,
        ..Prompt::default()
    })
}

/// "Attachment" of the specification, with only the members that are needed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PiAttachment {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "type")]
    kind: AttachmentKind,
    file_name: String,
    mime_type: String,
    #[serde(rename = "size")]
    _size: f64,
    content: String,
    extracted_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AttachmentKind {
    Image,
    Document,
}

/// Why the model cannot get an attachment. The text is the name of the file.
#[derive(Debug, Error)]
enum AttachmentError {
    #[error(transparent)]
    Members(#[from] serde_json::Error),
    #[error("{0} is not in base64")]
    NotBase64(String),
    #[error("{0} has no extractedText, and is not text itself")]
    NoText(String),
}

/// The block that the model gets for an attachment.
///
/// # Errors
/// It is not an attachment, or it has no content for the model.
fn block(attachment: &Value) -> Result<ContentBlock, AttachmentError> {
    let read = PiAttachment::deserialize(attachment)?;
    match read.kind {
        AttachmentKind::Image => Ok(ContentBlock::Image {
            media_type: read.mime_type,
            data: read.content,
        }),
        AttachmentKind::Document => document(read),
    }
}

/// A document's extracted text. Without one, the document itself if the model can read it.
fn document(read: PiAttachment) -> Result<ContentBlock, AttachmentError> {
    let name = read.file_name;
    if let Some(text) = read.extracted_text {
        return Ok(text_of(&name, &text));
    }
    let Ok(bytes) = BASE64.decode(read.content.as_bytes()) else {
        return Err(AttachmentError::NotBase64(name));
    };
    if let Some(Media::Document(media_type)) = sniff(&bytes) {
        return Ok(ContentBlock::Document {
            name,
            media_type: media_type.to_owned(),
            data: read.content,
        });
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text_of(&name, &text)),
        _ => Err(AttachmentError::NoText(name)),
    }
}

fn text_of(name: &str, text: &str) -> ContentBlock {
    ContentBlock::Text(format!("[Document: {name}]\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::frames::present;
    use serde_json::json;

    #[test]
    fn the_model_gets_images_as_they_are_and_of_documents_the_text_or_the_document() {
        let image = ContentBlock::Image {
            media_type: "image/png".into(),
            data: "Zm9v".into(),
        };
        let text = |text: &str| ContentBlock::Text(format!("[Document: f]\n{text}"));
        let pdf = ContentBlock::Document {
            name: "f".into(),
            media_type: "application/pdf".into(),
            data: "JVBERi0xLjc=".into(),
        };
        for (kind, content, extracted, expected) in [
            ("image", "Zm9v", None, Some(image)),
            ("document", "Zm9v", Some("bar"), Some(text("bar"))),
            ("document", "Zm9v", None, Some(text("foo"))),
            ("document", "JVBERi0xLjc=", None, Some(pdf)),
            ("film", "Zm9v", None, None),
            ("document", "?", None, None),
            ("document", "AAAA", None, None),
        ] {
            let attachment = present(json!({
                "id": "a", "type": kind, "fileName": "f", "mimeType": "image/png", "size": 3,
                "content": content, "extractedText": extracted,
            }));
            assert_eq!(block(&attachment).ok(), expected, "{attachment}");
        }
        assert!(block(&json!({ "type": "image" })).is_err());
    }
}
