//! The items of a response's output: one for each block of content.

use serde_json::{Value, json};

use crate::answer::{BlockKind, Piece};
use crate::ids;
use crate::wire::join::JoinedBlock;

/// One item of the output, as far as it has been said.
pub(super) struct OutputItem {
    pub(super) id: String,
    pub(super) folded: JoinedBlock,
    /// The whole thought, opaque, for clients that keep no response at the vendor's; none if it was not asked for.
    encrypted: Option<String>,
}

impl OutputItem {
    /// The item of the block `index` of the message at `path`, with nothing said in it.
    pub(super) fn open(block: &BlockKind, index: usize, seed: u64, path: &str) -> Self {
        let prefix = match block {
            BlockKind::Text => "msg_",
            BlockKind::Thinking | BlockKind::RedactedThinking { .. } => "rs_",
            BlockKind::ToolCall { .. } => "fc_",
        };
        let id = ids::id(prefix, 48, seed, &format!("{path}/{index}"));
        let folded = JoinedBlock {
            block: block.clone(),
            text: String::new(),
            signature: String::new(),
        };
        OutputItem {
            id,
            folded,
            encrypted: None,
        }
    }

    /// Lets a thought carry its opaque form: its signature, which comes among the later pieces.
    pub(super) fn encrypt(&mut self, index: usize, pieces: &[Piece]) {
        self.encrypted = match &self.folded.block {
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
            folded,
            encrypted,
        } = self;
        match &folded.block {
            BlockKind::Text => {
                let content = if status == "in_progress" {
                    json!([])
                } else {
                    json!([self.part()])
                };
                json!({ "id": id, "type": "message", "status": status, "content": content, "role": "assistant" })
            }
            BlockKind::Thinking | BlockKind::RedactedThinking { .. } => {
                let said = status != "in_progress" && folded.block == BlockKind::Thinking;
                let summary = if said {
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
                "arguments": folded.text,
                "call_id": call,
                "name": name,
            }),
        }
    }

    /// The one part of a message or of a thought's summary.
    pub(super) fn part(&self) -> Value {
        match self.folded.block {
            BlockKind::Text => {
                json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": self.folded.text })
            }
            _ => json!({ "type": "summary_text", "text": self.folded.text }),
        }
    }
}
