//! Output items of a response: one for each block of content.

use serde_json::{Value, json};

use crate::answer::{BlockKind, Piece};
use crate::ids;
use crate::wire::join::JoinedBlock;

/// One item of the output, with its content so far.
pub(super) struct OutputItem {
    pub(super) id: String,
    pub(super) joined: JoinedBlock,
    /// The encrypted reasoning, for clients that do not store responses at the vendor; none if the request does not ask for it.
    encrypted: Option<String>,
}

impl OutputItem {
    /// The item of the block `index` of the message at `path`, without content.
    pub(super) fn open(block: &BlockKind, index: usize, seed: u64, path: &str) -> Self {
        let prefix = match block {
            BlockKind::Text => "msg_",
            BlockKind::Thinking | BlockKind::RedactedThinking { .. } => "rs_",
            BlockKind::ToolCall { .. } => "fc_",
        };
        let id = ids::id(prefix, 48, seed, &format!("{path}/{index}"));
        let joined = JoinedBlock {
            block: block.clone(),
            text: String::new(),
            signature: String::new(),
        };
        OutputItem {
            id,
            joined,
            encrypted: None,
        }
    }

    /// Sets the encrypted reasoning of a thinking block to its signature, which is one of the later pieces.
    pub(super) fn encrypt(&mut self, index: usize, pieces: &[Piece]) {
        self.encrypted = match &self.joined.block {
            BlockKind::RedactedThinking { data } => Some(data.clone()),
            BlockKind::Thinking => pieces.iter().find_map(|piece| match piece {
                Piece::Signature {
                    index: of,
                    signature,
                } if *of == index => Some(signature.clone()),
                _ => None,
            }),
            _ => None,
        };
    }

    /// The item's document.
    pub(super) fn document(&self, status: &str) -> Value {
        let OutputItem {
            id,
            joined,
            encrypted,
        } = self;
        match &joined.block {
            BlockKind::Text => {
                let content = if status == "in_progress" {
                    json!([])
                } else {
                    json!([self.part()])
                };
                json!({ "id": id, "type": "message", "status": status, "content": content, "role": "assistant" })
            }
            BlockKind::Thinking | BlockKind::RedactedThinking { .. } => {
                let has_summary = status != "in_progress" && joined.block == BlockKind::Thinking;
                let summary = if has_summary {
                    json!([self.part()])
                } else {
                    json!([])
                };
                let mut item = json!({ "id": id, "type": "reasoning", "summary": summary });
                if let Some(encrypted) = encrypted {
                    item["encrypted_content"] = encrypted.as_str().into();
                }
                item
            }
            BlockKind::ToolCall { id: call, name } => json!({
                "id": id,
                "type": "function_call",
                "status": status,
                "arguments": joined.text,
                "call_id": call,
                "name": name,
            }),
        }
    }

    /// The one part of a message or of a reasoning summary.
    pub(super) fn part(&self) -> Value {
        match self.joined.block {
            BlockKind::Text => {
                json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": self.joined.text })
            }
            _ => json!({ "type": "summary_text", "text": self.joined.text }),
        }
    }
}
