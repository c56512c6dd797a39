//! From pieces back to the whole, for answers that are not streamed.

use crate::answer::{BlockKind, Piece};
use crate::script::Stop;

/// A message without its timing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JoinedMessage {
    pub(super) blocks: Vec<JoinedBlock>,
    /// None where the message breaks off.
    pub(super) stop: Option<Stop>,
    /// The error it breaks off with.
    pub(super) error: Option<(String, String)>,
}

/// A block of content with all that was said in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JoinedBlock {
    pub(super) block: BlockKind,
    /// The text, the thought, or the arguments of a call.
    pub(super) text: String,
    pub(super) signature: String,
}

pub(super) fn join_pieces(pieces: &[Piece]) -> JoinedMessage {
    let mut folded = JoinedMessage::default();
    for piece in pieces {
        match piece {
            Piece::BlockStart { block, .. } => {
                folded.blocks.push(JoinedBlock {
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
                if let Some(block) = folded.blocks.get_mut(*index) {
                    block.text.push_str(text);
                }
            }
            Piece::Signature { index, signature } => {
                if let Some(block) = folded.blocks.get_mut(*index) {
                    block.signature.push_str(signature);
                }
            }
            Piece::Stop(stop) => folded.stop = Some(*stop),
            Piece::Error { kind, message } => folded.error = Some((kind.clone(), message.clone())),
            _ => {}
        }
    }
    folded
}
