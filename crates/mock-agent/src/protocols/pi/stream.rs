//! "AssistantMessage" while it is streaming, and "AssistantMessageEvent" in all its forms.

use super::messages::{arguments, text, usage};
use super::version::PiVersion;
use crate::core::settings::ModelInfo;
use crate::model::message::Usage;
use crate::model::{BlockStart, Chunk};
use crate::protocols::frames::present;
use serde_json::{Value, json};

/// The event of a chunk: the index of its block, the event's type, and one more member.
type EventParts = (usize, String, Option<(&'static str, Value)>);

/// A reply so far.
#[derive(Debug)]
pub(super) struct StreamingReply {
    version: PiVersion,
    model_info: ModelInfo,
    timestamp: u64,
    parts: Vec<StreamedBlock>,
    usage: Usage,
}

/// A block of the message, none that only the model can read. Its position in the list is its `contentIndex`.
#[derive(Debug)]
struct StreamedBlock {
    /// Its number in the model's stream.
    index: usize,
    start: BlockStart,
    body: String,
    signature: String,
}

impl StreamingReply {
    pub(super) fn new(version: PiVersion, model_info: ModelInfo, timestamp: u64) -> Self {
        StreamingReply {
            version,
            model_info,
            timestamp,
            parts: Vec::new(),
            usage: Usage::default(),
        }
    }

    /// The message, with its stop reason and error.
    pub(super) fn message(&self, stop: &str, error: Option<&str>) -> Value {
        let content: Vec<_> = self.parts.iter().map(StreamedBlock::content).collect();
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
        }))
    }

    fn usage_so_far(&self) -> Value {
        usage(self.version, self.usage, self.model_info.rates)
    }

    /// Whether the model called tools.
    pub(super) fn has_calls(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| matches!(part.start, BlockStart::Call { .. }))
    }

    /// The message while it is streaming.
    pub(super) fn partial(&self) -> Value {
        let stop = match self.version {
            PiVersion::V0_87 => "pending",
            _ => "stop",
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

    /// Appends a chunk. Returns its frame, which holds the message so far or, since 0.87, what is new; None for chunks that have no event.
    pub(super) fn add(&mut self, chunk: &Chunk) -> Option<Value> {
        let (place, kind, more) = self.event(chunk)?;
        let mut event = json!({ "type": kind, "contentIndex": place });
        if let Some((name, value)) = more {
            event[name] = value;
        }
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

    fn event(&mut self, chunk: &Chunk) -> Option<EventParts> {
        match chunk {
            Chunk::Start {
                block: BlockStart::Redacted(_),
                ..
            } => None,
            Chunk::Start { index, block } => {
                let part = StreamedBlock {
                    index: *index,
                    start: block.clone(),
                    body: String::new(),
                    signature: String::new(),
                };
                let kind = format!("{}_start", part.kind());
                self.parts.push(part);
                Some((self.parts.len() - 1, kind, None))
            }
            Chunk::Text { index, text }
            | Chunk::Thinking { index, text }
            | Chunk::Args {
                index,
                fragment: text,
            } => {
                let (place, part) = self.part(*index)?;
                part.body.push_str(text);
                let kind = format!("{}_delta", part.kind());
                let delta = Some(("delta", json!(text)));
                (!text.is_empty()).then_some((place, kind, delta))
            }
            Chunk::Signature { index, signature } => {
                self.part(*index)?.1.signature.push_str(signature);
                None
            }
            Chunk::End { index } => {
                let (place, part) = self.part(*index)?;
                let whole = match part.start {
                    BlockStart::Call { .. } => ("toolCall", part.content()),
                    _ => ("content", json!(part.body)),
                };
                Some((place, format!("{}_end", part.kind()), Some(whole)))
            }
            Chunk::Usage(usage) => {
                self.usage = *usage;
                None
            }
            Chunk::Stop(_) => None,
        }
    }

    fn part(&mut self, index: usize) -> Option<(usize, &mut StreamedBlock)> {
        let mut parts = self.parts.iter_mut().enumerate().rev();
        parts.find(|(_, part)| part.index == index)
    }
}

/// "message_update", with the message so far.
fn update(message: &Value, event: Value) -> Value {
    json!({ "type": "message_update", "message": message, "assistantMessageEvent": event })
}

impl StreamedBlock {
    fn kind(&self) -> &'static str {
        match self.start {
            BlockStart::Text => "text",
            BlockStart::Thinking | BlockStart::Redacted(_) => "thinking",
            BlockStart::Call { .. } => "toolcall",
        }
    }

    fn content(&self) -> Value {
        match &self.start {
            BlockStart::Text => text(&self.body),
            BlockStart::Thinking | BlockStart::Redacted(_) => {
                let signature = Some(&self.signature).filter(|text| !text.is_empty());
                present(json!({
                    "type": "thinking", "thinking": self.body, "thinkingSignature": signature,
                }))
            }
            BlockStart::Call { id, tool } => {
                let args = serde_json::from_str(&self.body).unwrap_or_default();
                json!({ "type": "toolCall", "id": id, "name": tool, "arguments": arguments(&args) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::settings::{DEFAULT_RATES, DEFAULT_WINDOW};

    fn reply() -> StreamingReply {
        let model_info = ModelInfo {
            api: "a".into(),
            provider: "p".into(),
            model: "m".into(),
            window: DEFAULT_WINDOW,
            rates: DEFAULT_RATES,
        };
        StreamingReply::new(PiVersion::V0_73, model_info, 1)
    }

    fn start(index: usize, block: BlockStart) -> Chunk {
        Chunk::Start { index, block }
    }

    fn text(index: usize, text: &str) -> Chunk {
        let text = text.into();
        Chunk::Text { index, text }
    }

    /// Type and contentIndex of the frames.
    fn events_of(chunks: &[Chunk]) -> Vec<(String, u64)> {
        let mut reply = reply();
        let frames = chunks.iter().filter_map(|chunk| reply.add(chunk));
        let events = frames.map(|frame| frame["assistantMessageEvent"].clone());
        events
            .map(|event| {
                let kind = event["type"].as_str().unwrap().to_owned();
                (kind, event["contentIndex"].as_u64().unwrap())
            })
            .collect()
    }

    #[test]
    fn blocks_are_numbered_by_their_position_in_the_message() {
        let chunks = [
            start(0, BlockStart::Redacted("x".into())),
            Chunk::End { index: 0 },
            start(1, BlockStart::Text),
            text(1, "hi"),
            text(1, ""),
            Chunk::End { index: 1 },
        ];

        let expected = ["text_start", "text_delta", "text_end"].map(|kind| (kind.to_owned(), 0));
        assert_eq!(events_of(&chunks), expected);
    }

    #[test]
    fn the_stream_has_a_start_and_an_end() {
        let reply = reply();
        assert_eq!(
            reply.start()["assistantMessageEvent"]["partial"],
            reply.partial()
        );

        for (stop, kind, member) in [
            ("stop", "done", "message"),
            ("toolUse", "done", "message"),
            ("aborted", "error", "error"),
        ] {
            let message = reply.message(stop, None);
            let expected = json!({ "type": kind, "reason": stop, member: message });
            assert_eq!(
                StreamingReply::end(&message)["assistantMessageEvent"],
                expected
            );
        }
    }

    #[test]
    fn deltas_hold_what_is_new_and_the_usage() {
        let mut reply = reply();
        reply.version = PiVersion::V0_87;
        let call = BlockStart::Call {
            id: "t".into(),
            tool: "bash".into(),
        };

        let opened = reply.add(&start(0, call)).unwrap();

        let event =
            json!({ "type": "toolcall_start", "contentIndex": 0, "id": "t", "toolName": "bash" });
        assert_eq!(opened["assistantMessageEvent"], event);
        assert_eq!(opened["usage"]["totalTokens"], 0);
        assert_eq!(opened.get("message"), None);
        assert_eq!(reply.partial()["stopReason"], "pending");
    }

    #[test]
    fn the_end_of_a_block_holds_all_of_it() {
        let mut reply = reply();
        let call = BlockStart::Call {
            id: "t".into(),
            tool: "bash".into(),
        };
        let fragment = |fragment: &str| Chunk::Args {
            index: 0,
            fragment: fragment.into(),
        };
        reply.add(&start(0, call));
        reply.add(&fragment("{\"a\""));
        let half = reply.add(&fragment(":")).unwrap();
        reply.add(&fragment("1}"));
        let end = reply.add(&Chunk::End { index: 0 }).unwrap();

        let call = |arguments| json!({ "type": "toolCall", "id": "t", "name": "bash", "arguments": arguments });
        assert_eq!(half["message"]["content"], json!([call(json!({}))]));
        let event = &end["assistantMessageEvent"];
        assert_eq!(event["toolCall"], call(json!({ "a": 1 })));
        assert_eq!(event["partial"], reply.partial());
    }
}
