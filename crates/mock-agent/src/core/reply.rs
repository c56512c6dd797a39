//! Builds a reply from the chunks of a stream.

use crate::model::message::ContentBlock;
use crate::model::{BlockStart, Chunk};
use mock_provider::{Block, Blocks};
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
        texts.map(|block| block.text()).collect()
    }
}

fn content_block(block: Block) -> Option<ContentBlock> {
    let text = block.text();
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reply(chunks: &[Chunk]) -> ReplyBuilder {
        let mut reply = ReplyBuilder::default();
        chunks.iter().for_each(|chunk| reply.add(chunk));
        reply
    }

    fn call(index: usize, id: &str) -> Chunk {
        let (id, tool) = (id.into(), "Read".into());
        let block = BlockStart::Call { id, tool };
        Chunk::Start { index, block }
    }

    fn args(index: usize, fragment: &str) -> Chunk {
        let fragment = fragment.into();
        Chunk::Args { index, fragment }
    }

    fn block(id: &str, args: Value, raw: Option<&str>) -> ContentBlock {
        ContentBlock::Call {
            id: id.into(),
            tool: "Read".into(),
            args,
            raw: raw.map(str::to_owned),
        }
    }

    #[test]
    fn interleaved_fragments_find_their_calls_and_what_is_not_json_is_kept_raw() {
        let calls = [call(0, "a"), call(1, "b"), args(0, "{\"x\"")];
        let rest = [args(1, "{}"), args(0, ":1}"), call(2, "c"), args(2, "{bad")];
        let expected = [
            block("a", json!({"x": 1}), None),
            block("b", json!({}), None),
            block("c", Value::Null, Some("{bad")),
        ];
        assert_eq!(reply(&[&calls[..], &rest].concat()).into_blocks(), expected);
    }

    #[test]
    fn only_text_remains_of_an_incomplete_reply() {
        let (index, block) = (0, BlockStart::Text);
        let text = "half".to_owned();
        let chunks = [Chunk::Start { index, block }, Chunk::Text { index, text }];
        let left = reply(&[&chunks[..], &[call(1, "a")]].concat()).into_text_blocks();

        assert_eq!(left, [ContentBlock::Text("half".into())]);
    }
}
