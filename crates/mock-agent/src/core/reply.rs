//! Builds a reply from the chunks of a stream.

use crate::model::{Block, BlockStart, Chunk, ContentBlock};
use mock_provider::Blocks;
use serde_json::Value;

/// The blocks of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuilder(Blocks);

impl ReplyBuilder {
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        self.0.add(chunk);
    }

    /// All blocks.
    pub(crate) fn into_blocks(self) -> Vec<ContentBlock> {
        self.0.0.into_iter().filter_map(content_block).collect()
    }

    /// The text blocks, which are what remains of an incomplete reply.
    pub(crate) fn into_text_blocks(self) -> Vec<ContentBlock> {
        let blocks = self.into_blocks().into_iter();
        blocks
            .filter(|block| matches!(block, ContentBlock::Text(_)))
            .collect()
    }

    /// The text of all text blocks.
    pub(crate) fn into_text(self) -> String {
        let blocks = self.0.0.into_iter();
        let texts = blocks.filter(|block| block.start == BlockStart::Text);
        texts.map(|block| block.text().to_owned()).collect()
    }
}

fn content_block(block: Block) -> Option<ContentBlock> {
    let text = block.text().to_owned();
    match block.start {
        BlockStart::Text => (!text.is_empty()).then_some(ContentBlock::Text(text)),
        BlockStart::Thinking => Some(ContentBlock::Thinking {
            text,
            signature: block.signature,
        }),
        BlockStart::Redacted(data) => Some(ContentBlock::Redacted(data)),
        BlockStart::Call { id, tool } => {
            let json = if text.trim().is_empty() { "{}" } else { &text };
            let args: Option<Value> = serde_json::from_str(json).ok();
            Some(ContentBlock::Call {
                id,
                tool,
                raw: args.is_none().then_some(text),
                args: args.unwrap_or_default(),
            })
        }
    }
}
