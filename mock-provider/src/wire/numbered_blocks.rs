//! The blocks of an answer whose API does not number them: adjacent pieces of one kind are one block.

use super::decoder::DecodedReply;
use crate::answer::{BlockStart, Chunk};

/// The blocks so far.
#[derive(Debug, Default)]
pub(super) struct NumberedBlocks {
    count: usize,
    /// The block that the next piece may belong to.
    open: Option<(BlockStart, usize)>,
}

impl NumberedBlocks {
    /// The number of the open block, if it is of this kind, or of a new one.
    pub(super) fn continued(&mut self, block: BlockStart, reply: &mut DecodedReply) -> usize {
        match &self.open {
            Some((open, index)) if *open == block => *index,
            _ => {
                self.close(reply);
                let index = self.start(block.clone(), reply);
                self.open = Some((block, index));
                index
            }
        }
    }

    /// Begins a block beside the open one, and gives its number.
    pub(super) fn start(&mut self, block: BlockStart, reply: &mut DecodedReply) -> usize {
        self.count += 1;
        reply.start(self.count - 1, Some(block));
        self.count - 1
    }

    /// Ends the open block.
    pub(super) fn close(&mut self, reply: &mut DecodedReply) {
        if let Some((_, index)) = self.open.take() {
            reply.push(Chunk::End { index });
        }
    }
}
