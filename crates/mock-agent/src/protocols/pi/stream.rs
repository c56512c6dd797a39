//! "AssistantMessage" while it is streaming, and "AssistantMessageEvent" in all its forms.

use super::PiVersion;
use super::messages::{text, usage};
use crate::core::ModelInfo;
use crate::model::{Block, BlockStart, Chunk, Usage, arguments};
use crate::protocols::frames::{extended, present};
use serde_json::{Value, json};

#[derive(Debug)]
pub(super) struct StreamingReply {
    version: PiVersion,
    model_info: ModelInfo,
    timestamp: u64,
    /// The thinking level that was asked for, in versions that say it.
    level: Option<String>,
    /// The blocks of the message, without those that only the model can read. The position of one is its `contentIndex`.
    parts: Vec<Block>,
    usage: Usage,
}

impl StreamingReply {
    pub(super) fn new(version: PiVersion, model_info: ModelInfo, timestamp: u64) -> Self {
        StreamingReply {
            version,
            model_info,
            timestamp,
            level: None,
            parts: Vec::new(),
            usage: Usage::default(),
        }
    }

    pub(super) fn asked_for(mut self, level: Option<String>) -> Self {
        self.level = level;
        self
    }

    pub(super) fn message(&self, stop: &str, error: Option<&str>) -> Value {
        let content: Vec<_> = self.parts.iter().map(content).collect();
        present(json!({
            "role": "assistant",
            "content": content,
            "api": self.model_info.api,
            "provider": self.model_info.provider,
            "model": self.model_info.model,
            "usage": self.usage_so_far(),
            "stopReason": stop,
            "errorMessage": error,
            "timestamp": self.timestamp,
            "thinkingLevel": self.level.as_ref().filter(|_| stop != "pending"),
        }))
    }

    fn usage_so_far(&self) -> Value {
        usage(self.version, self.usage, self.model_info.rates)
    }

    pub(super) fn has_calls(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| matches!(part.start, BlockStart::Call { .. }))
    }

    pub(super) fn partial(&self) -> Value {
        let stop = match self.version {
            PiVersion::V0_14 | PiVersion::V0_73 => "stop",
            _ => "pending",
        };
        self.message(stop, None)
    }

    /// The frame that opens the stream.
    pub(super) fn start(&self) -> Value {
        let partial = self.partial();
        update(&partial, json!({ "type": "start", "partial": partial }))
    }

    /// The frame that closes the stream, with the complete message.
    pub(super) fn end(message: &Value) -> Value {
        let reason = &message["stopReason"];
        let event = match reason.as_str() {
            Some("error" | "aborted") => {
                json!({ "type": "error", "reason": reason, "error": message })
            }
            _ => json!({ "type": "done", "reason": reason, "message": message }),
        };
        update(message, event)
    }

    /// Appends a chunk. Returns its frame, which holds the message so far or, since 0.87, only the new part; None for chunks that have no
    /// event.
    pub(super) fn add(&mut self, chunk: &Chunk) -> Option<Value> {
        let mut event = self.event(chunk)?;
        if self.version < PiVersion::V0_87 {
            let partial = self.partial();
            event["partial"] = partial.clone();
            return Some(update(&partial, event));
        }
        if let Chunk::Start { block, .. } = chunk
            && let BlockStart::Call { id, tool } = block
        {
            event["id"] = json!(id);
            event["toolName"] = json!(tool);
        }
        let usage = self.usage_so_far();
        Some(json!({ "type": "message_update", "usage": usage, "assistantMessageEvent": event }))
    }

    fn event(&mut self, chunk: &Chunk) -> Option<Value> {
        let (place, step, more) = match chunk {
            Chunk::Start {
                block: BlockStart::Redacted(_),
                ..
            }
            | Chunk::Stop(_) => return None,
            Chunk::Start { index, block } => {
                self.parts.push(Block::new(*index, block));
                (self.parts.len() - 1, "start", json!({}))
            }
            Chunk::Text { index, text }
            | Chunk::Thinking { index, text }
            | Chunk::Args {
                index,
                fragment: text,
            } => {
                let (place, part) = self.part(*index).filter(|_| !text.is_empty())?;
                part.push(text);
                (place, "delta", json!({ "delta": text }))
            }
            Chunk::Signature { index, signature } => {
                self.part(*index)?.1.signature.push_str(signature);
                return None;
            }
            Chunk::End { index } => {
                let (place, part) = self.part(*index)?;
                let whole = match part.start {
                    BlockStart::Call { .. } => json!({ "toolCall": content(part) }),
                    _ => json!({ "content": part.text() }),
                };
                (place, "end", whole)
            }
            Chunk::Usage(usage) => {
                self.usage = *usage;
                return None;
            }
        };
        let kind = format!("{}_{step}", kind(&self.parts[place].start));
        Some(extended(
            json!({ "type": kind, "contentIndex": place }),
            more,
        ))
    }

    fn part(&mut self, index: usize) -> Option<(usize, &mut Block)> {
        let mut parts = self.parts.iter_mut().enumerate().rev();
        parts.find(|(_, part)| part.index == index)
    }
}

fn update(message: &Value, event: Value) -> Value {
    json!({ "type": "message_update", "message": message, "assistantMessageEvent": event })
}

fn kind(block: &BlockStart) -> &'static str {
    match block {
        BlockStart::Text => "text",
        BlockStart::Thinking | BlockStart::Redacted(_) => "thinking",
        BlockStart::Call { .. } => "toolcall",
    }
}

fn content(block: &Block) -> Value {
    match &block.start {
        BlockStart::Text => text(block.text()),
        BlockStart::Thinking | BlockStart::Redacted(_) => {
            let signature = Some(&block.signature).filter(|text| !text.is_empty());
            present(json!({
                "type": "thinking", "thinking": block.text(), "thinkingSignature": signature,
            }))
        }
        BlockStart::Call { id, tool } => {
            let args = serde_json::from_str(block.text()).unwrap_or_default();
            json!({ "type": "toolCall", "id": id, "name": tool, "arguments": arguments(&args) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(version: PiVersion) -> StreamingReply {
        StreamingReply::new(version, ModelInfo::default(), 1)
    }

    fn start(block: BlockStart) -> Chunk {
        Chunk::Start { index: 1, block }
    }

    #[test]
    fn blocks_are_numbered_by_their_position_in_the_message() {
        let text = |text: &str| Chunk::Text {
            index: 1,
            text: text.into(),
        };
        let redacted = BlockStart::Redacted("x".into());
        let chunks = [
            Chunk::Start {
                index: 0,
                block: redacted,
            },
            Chunk::End { index: 0 },
            start(BlockStart::Text),
            text("hi"),
            text(""),
            Chunk::End { index: 1 },
        ];

        let mut reply = reply(PiVersion::V0_73);
        let frames = chunks.iter().filter_map(|chunk| reply.add(chunk));
        let events = frames.map(|frame| frame["assistantMessageEvent"].clone());
        let events: Vec<_> = events
            .map(|event| (event["type"].clone(), event["contentIndex"].clone()))
            .collect();
        let expected = ["text_start", "text_delta", "text_end"];
        assert_eq!(events, expected.map(|kind| (json!(kind), json!(0))));
    }
}
