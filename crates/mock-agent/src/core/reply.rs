//! Builds a reply from the chunks of a stream.

use crate::model::message::ContentBlock;
use crate::model::{BlockStart, Chunk};
use serde_json::Value;

/// The blocks of a reply so far.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuilder {
    parts: Vec<PartialBlock>,
}

#[derive(Debug)]
struct PartialBlock {
    index: usize,
    start: BlockStart,
    /// Text, thinking or arguments, depending on the kind of block.
    body: String,
    signature: String,
}

impl ReplyBuilder {
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Start { index, block } => self.parts.push(PartialBlock {
                index: *index,
                start: block.clone(),
                body: String::new(),
                signature: String::new(),
            }),
            Chunk::Text { index, text }
            | Chunk::Thinking { index, text }
            | Chunk::Args {
                index,
                fragment: text,
            } => {
                if let Some(part) = self.part(*index) {
                    part.body.push_str(text);
                }
            }
            Chunk::Signature { index, signature } => {
                if let Some(part) = self.part(*index) {
                    part.signature.push_str(signature);
                }
            }
            Chunk::End { .. } | Chunk::Usage(_) | Chunk::Stop(_) => {}
        }
    }

    fn part(&mut self, index: usize) -> Option<&mut PartialBlock> {
        self.parts.iter_mut().rev().find(|part| part.index == index)
    }

    /// All blocks.
    pub(crate) fn into_blocks(self) -> Vec<ContentBlock> {
        self.parts
            .into_iter()
            .filter_map(PartialBlock::block)
            .collect()
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
        let texts = self.parts.into_iter();
        texts
            .filter(|part| part.start == BlockStart::Text)
            .map(|part| part.body)
            .collect()
    }
}

impl PartialBlock {
    fn block(self) -> Option<ContentBlock> {
        match self.start {
            BlockStart::Text => (!self.body.is_empty()).then_some(ContentBlock::Text(self.body)),
            BlockStart::Thinking => Some(ContentBlock::Thinking {
                text: self.body,
                signature: self.signature,
            }),
            BlockStart::Redacted(data) => Some(ContentBlock::Redacted(data)),
            BlockStart::Call { id, tool } => {
                let text = if self.body.trim().is_empty() {
                    "{}"
                } else {
                    &self.body
                };
                let args: Option<Value> = serde_json::from_str(text).ok();
                let raw = args.is_none().then(|| self.body.clone());
                Some(ContentBlock::Call {
                    id,
                    tool,
                    args: args.unwrap_or_default(),
                    raw,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assembly(chunks: &[Chunk]) -> ReplyBuilder {
        let mut assembly = ReplyBuilder::default();
        chunks.iter().for_each(|chunk| assembly.add(chunk));
        assembly
    }

    fn call(index: usize, id: &str) -> Chunk {
        let block = BlockStart::Call {
            id: id.into(),
            tool: "Read".into(),
        };
        Chunk::Start { index, block }
    }

    fn args(index: usize, fragment: &str) -> Chunk {
        let fragment = fragment.into();
        Chunk::Args { index, fragment }
    }

    #[test]
    fn interleaved_fragments_find_their_calls() {
        let whole = assembly(&[
            call(0, "a"),
            call(1, "b"),
            args(0, "{\"x\""),
            args(1, "{}"),
            args(0, ":1}"),
        ])
        .into_blocks();

        let block = |id: &str, args| ContentBlock::Call {
            id: id.into(),
            tool: "Read".into(),
            args,
            raw: None,
        };
        assert_eq!(whole, [block("a", json!({"x": 1})), block("b", json!({}))]);
    }

    #[test]
    fn arguments_that_are_not_json_are_kept_raw() {
        let whole = assembly(&[call(0, "a"), args(0, "{bad")]).into_blocks();

        assert!(
            matches!(&whole[0], ContentBlock::Call { args: Value::Null, raw: Some(raw), .. } if raw == "{bad")
        );
    }

    #[test]
    fn only_text_remains_of_an_incomplete_reply() {
        let index = 0;
        let text = Chunk::Text {
            index,
            text: "half".into(),
        };
        let block = BlockStart::Text;
        let left =
            assembly(&[Chunk::Start { index, block }, text, call(1, "a")]).into_text_blocks();

        assert_eq!(left, [ContentBlock::Text("half".into())]);
    }
}
