//! Joins the pieces of a message to complete content blocks, for answers that are not streamed.

use crate::answer::{BlockKind, Piece};
use crate::script::Stop;

/// The complete content of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JoinedMessage {
    pub(super) blocks: Vec<JoinedBlock>,
    /// The stop reason; none if the message breaks off.
    pub(super) stop: Option<Stop>,
    /// The type and message of the error that ends it.
    pub(super) error: Option<(String, String)>,
}

/// A complete block of content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JoinedBlock {
    pub(super) block: BlockKind,
    /// The text, the thinking, or the arguments of a tool call.
    pub(super) text: String,
    pub(super) signature: String,
}

/// Joins the pieces of a message.
pub(super) fn join_pieces(pieces: &[Piece]) -> JoinedMessage {
    let mut joined = JoinedMessage::default();
    for piece in pieces {
        match piece {
            Piece::BlockStart { block, .. } => {
                joined.blocks.push(JoinedBlock {
                    block: block.clone(),
                    text: String::new(),
                    signature: String::new(),
                });
            }
            Piece::TextDelta { index, text }
            | Piece::ThinkingDelta { index, text }
            | Piece::ArgsDelta {
                index,
                fragment: text,
            } => {
                if let Some(block) = joined.blocks.get_mut(*index) {
                    block.text.push_str(text);
                }
            }
            Piece::Signature { index, signature } => {
                if let Some(block) = joined.blocks.get_mut(*index) {
                    block.signature.push_str(signature);
                }
            }
            Piece::Stop(stop) => joined.stop = Some(*stop),
            Piece::Error { kind, message } => joined.error = Some((kind.clone(), message.clone())),
            _ => {}
        }
    }
    joined
}
