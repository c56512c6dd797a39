//! Output items of a response: one for each block of content.

use serde_json::{Value, json};

use crate::answer::{Block, BlockStart, Chunk};
use crate::ids;

/// One item of the output, with its content so far.
pub(super) struct OutputItem {
    pub(super) id: String,
    pub(super) block: Block,
    /// The encrypted reasoning, for clients that do not store responses at the vendor; none if the request does not ask for it.
    encrypted: Option<String>,
}

impl OutputItem {
    /// The item of a block of the message at `path`, without content.
    pub(super) fn open(start: &BlockStart, index: usize, seed: u64, path: &str) -> Self {
        let prefix = match start {
            BlockStart::Text => "msg_",
            BlockStart::Thinking | BlockStart::Redacted(_) => "rs_",
            BlockStart::Call { .. } => "fc_",
        };
        OutputItem {
            id: ids::id(prefix, 48, seed, &format!("{path}/{index}")),
            block: Block::new(index, start),
            encrypted: None,
        }
    }

    /// Sets the encrypted reasoning of a thinking block to its signature, which is one of the later chunks.
    pub(super) fn encrypt<'c>(&mut self, mut chunks: impl Iterator<Item = &'c Chunk>) {
        self.encrypted = match &self.block.start {
            BlockStart::Redacted(data) => Some(data.clone()),
            BlockStart::Thinking => chunks.find_map(|chunk| match chunk {
                Chunk::Signature { index, signature } if *index == self.block.index => {
                    Some(signature.clone())
                }
                _ => None,
            }),
            _ => None,
        };
    }

    /// The item's document.
    pub(super) fn document(&self, status: &str) -> Value {
        let OutputItem { id, block, .. } = self;
        let is_thinking = block.start == BlockStart::Thinking;
        let parts = match status {
            "in_progress" => json!([]),
            _ => json!([self.part()]),
        };
        match &block.start {
            BlockStart::Text => {
                json!({ "id": id, "type": "message", "status": status, "content": parts, "role": "assistant" })
            }
            BlockStart::Thinking | BlockStart::Redacted(_) => {
                let summary = if is_thinking { parts } else { json!([]) };
                let mut item = json!({ "id": id, "type": "reasoning", "summary": summary });
                if let Some(encrypted) = &self.encrypted {
                    item["encrypted_content"] = encrypted.as_str().into();
                }
                item
            }
            BlockStart::Call { id: call, tool } => json!({
                "id": id,
                "type": "function_call",
                "status": status,
                "arguments": block.text(),
                "call_id": call,
                "name": tool,
            }),
        }
    }

    /// The fields of an event in the item, after its id and index.
    pub(super) fn at(&self, fields: Value) -> Value {
        let mut placed = json!({ "item_id": self.id, "output_index": self.block.index });
        if let (Value::Object(placed), Value::Object(fields)) = (&mut placed, fields) {
            placed.extend(fields);
        }
        placed
    }

    /// The one part of a message or of a reasoning summary.
    pub(super) fn part(&self) -> Value {
        match self.block.start {
            BlockStart::Text => {
                json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": self.block.text() })
            }
            _ => json!({ "type": "summary_text", "text": self.block.text() }),
        }
    }
}
