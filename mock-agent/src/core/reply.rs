//! A reply put together from its chunks.

use crate::model::message::ContentBlock;
use crate::model::{BlockStart, Chunk};
use serde_json::Value;

/// A reply so far.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuilder {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    index: usize,
    opening: BlockStart,
    /// Text, thought or arguments, as the opening says.
    body: String,
    signature: String,
}

impl ReplyBuilder {
    pub(crate) fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Start { index, block } => self.parts.push(Part {
                index: *index,
                opening: block.clone(),
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

    fn part(&mut self, index: usize) -> Option<&mut Part> {
        self.parts.iter_mut().rev().find(|part| part.index == index)
    }

    /// The blocks of a whole reply.
    pub(crate) fn whole(self) -> Vec<ContentBlock> {
        self.parts.into_iter().filter_map(Part::block).collect()
    }

    /// Of a reply that broke off, what can stand by itself.
    pub(crate) fn text_only(self) -> Vec<ContentBlock> {
        let blocks = self.whole().into_iter();
        blocks
            .filter(|block| matches!(block, ContentBlock::Text(_)))
            .collect()
    }

    /// The text alone.
    pub(crate) fn text(self) -> String {
        let texts = self.parts.into_iter();
        texts
            .filter(|part| part.opening == BlockStart::Text)
            .map(|part| part.body)
            .collect()
    }
}

impl Part {
    fn block(self) -> Option<ContentBlock> {
        match self.opening {
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
        .whole();

        let block = |id: &str, args| ContentBlock::Call {
            id: id.into(),
            tool: "Read".into(),
            args,
            raw: None,
        };
        assert_eq!(whole, [block("a", json!({"x": 1})), block("b", json!({}))]);
    }

    #[test]
    fn arguments_that_are_no_json_are_kept_raw() {
        let whole = assembly(&[call(0, "a"), args(0, "{bad")]).whole();

        assert!(
            matches!(&whole[0], ContentBlock::Call { args: Value::Null, raw: Some(raw), .. } if raw == "{bad")
        );
    }

    #[test]
    fn of_a_broken_reply_only_text_remains() {
        let index = 0;
        let text = Chunk::Text {
            index,
            text: "half".into(),
        };
        let block = BlockStart::Text;
        let left = assembly(&[Chunk::Start { index, block }, text, call(1, "a")]).text_only();

        assert_eq!(left, [ContentBlock::Text("half".into())]);
    }
}
