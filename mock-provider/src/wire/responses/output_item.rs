//! Output items of a response: one for each block of content.

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, Block, BlockStart, Chunk};
use crate::ids;
use crate::wire::encoder::WireContext;

/// One item of the output, with its content so far.
pub(super) struct OutputItem {
    pub(super) id: String,
    pub(super) block: Block,
    /// The encrypted reasoning, for clients that do not store responses at the vendor; none if the request does not ask for it.
    encrypted: Option<String>,
    pub(super) kind: ItemKind,
}

/// The names of an item's content in the events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Text,
    Refusal,
    Reasoning,
    FunctionCall,
    CustomCall,
}

impl ItemKind {
    /// The event of more content, its members before the content, and the event of the whole content.
    pub(super) fn events(self) -> (&'static str, &'static str, &'static str) {
        match self {
            ItemKind::Text => (
                "response.output_text.delta",
                r#""content_index":0,"logprobs":[],"#,
                "response.output_text.done",
            ),
            ItemKind::Refusal => (
                "response.refusal.delta",
                r#""content_index":0,"#,
                "response.refusal.done",
            ),
            ItemKind::Reasoning => (
                "response.reasoning_summary_text.delta",
                r#""summary_index":0,"#,
                "response.reasoning_summary_text.done",
            ),
            ItemKind::FunctionCall => (
                "response.function_call_arguments.delta",
                "",
                "response.function_call_arguments.done",
            ),
            ItemKind::CustomCall => (
                "response.custom_tool_call_input.delta",
                "",
                "response.custom_tool_call_input.done",
            ),
        }
    }
}

impl OutputItem {
    /// The item of a block of the message, without content.
    pub(super) fn open(
        start: &BlockStart,
        index: usize,
        context: &WireContext,
        message: &AnswerMessage,
    ) -> Self {
        let (prefix, kind) = match start {
            BlockStart::Text if message.is_refusal() => ("msg_", ItemKind::Refusal),
            BlockStart::Text => ("msg_", ItemKind::Text),
            BlockStart::Thinking | BlockStart::Redacted(_) => ("rs_", ItemKind::Reasoning),
            BlockStart::Call { tool, .. } if context.request.is_custom_tool(tool) => {
                ("ctc_", ItemKind::CustomCall)
            }
            BlockStart::Call { .. } => ("fc_", ItemKind::FunctionCall),
        };
        let position = format!("{}/{index}", message.path);
        OutputItem {
            id: ids::id(prefix, 48, context.seed, &position),
            block: Block::new(index, start),
            encrypted: None,
            kind,
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
            BlockStart::Call { id: call, tool } if self.kind == ItemKind::CustomCall => json!({
                "id": id,
                "type": "custom_tool_call",
                "status": status,
                "call_id": call,
                "input": block.text(),
                "name": tool,
            }),
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
        match self.kind {
            ItemKind::Refusal => json!({ "type": "refusal", "refusal": self.block.text() }),
            ItemKind::Text => {
                json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": self.block.text() })
            }
            _ => json!({ "type": "summary_text", "text": self.block.text() }),
        }
    }
}
