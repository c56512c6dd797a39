//! A reply in the making, from the events of any API.

use super::RecordedEnd;
use crate::answer_builder::fragments;
use crate::script::{
    ContentItem, Cut, ScriptReply, ScriptedUsage, Stall, Stop, StreamError, Texts, Thinking,
    ToolCall,
};
use serde_json::Value;

/// The number of fragments of a tool call that needs no mention.
const USUAL_FRAGMENTS: usize = 2;

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct ReplyBuilder {
    /// The blocks, each with the number that the stream gives it.
    blocks: Vec<(u64, Block)>,
    pub(super) usage: Option<ScriptedUsage>,
    pub(super) stop: Option<Stop>,
    pub(super) error: Option<StreamError>,
}

/// A block of content.
#[derive(Debug)]
pub(super) enum Block {
    Text(Vec<String>),
    Thinking {
        chunks: Vec<String>,
        signature: Option<String>,
    },
    Redacted(String),
    Call {
        id: Option<String>,
        name: String,
        fragments: Vec<String>,
    },
}

impl ReplyBuilder {
    /// Begins a block.
    pub(super) fn open(&mut self, number: u64, block: Block) {
        self.blocks.push((number, block));
    }

    /// The latest block of this number.
    pub(super) fn block(&mut self, number: u64) -> Option<&mut Block> {
        let found = self.blocks.iter_mut().rev();
        let mut found = found.filter(|(known, _)| *known == number);
        found.next().map(|(_, block)| block)
    }

    /// The latest block.
    pub(super) fn last(&mut self) -> Option<&mut Block> {
        self.blocks.last_mut().map(|(_, block)| block)
    }

    /// Adds a chunk to the block of this number.
    pub(super) fn chunk(&mut self, number: u64, chunk: &Value) {
        let (Some(block), Some(chunk)) = (self.block(number), chunk.as_str()) else {
            return;
        };
        block.push(chunk);
    }

    /// The reply.
    pub(super) fn finish(self, end: RecordedEnd) -> ScriptReply {
        let calls = |(_, block): &(u64, Block)| matches!(block, Block::Call { .. });
        let usual_stop = match self.blocks.iter().any(calls) {
            true => Stop::ToolUse,
            false => Stop::EndTurn,
        };
        let last = match (&self.stop, self.error) {
            (_, Some(error)) => Some(ContentItem::Error(error)),
            (Some(_), None) => None,
            (None, None) => Some(match end {
                RecordedEnd::Complete => ContentItem::Cut(Cut::End),
                RecordedEnd::ClientClosed => ContentItem::Stall(Stall::default()),
                RecordedEnd::Cut => ContentItem::Cut(Cut::Close),
            }),
        };
        let items = self.blocks.into_iter().map(|(_, block)| block.item());
        let items: Vec<_> = items.chain(last).collect();
        let mut reply = ScriptReply {
            usage: self.usage,
            stop: self.stop.filter(|stop| *stop != usual_stop),
            ..ScriptReply::default()
        };
        match is_plain(&items) {
            true => {
                for item in items {
                    match item {
                        ContentItem::Thinking(thinking) => reply.thinking = Some(thinking),
                        ContentItem::Text(text) => reply.text = Some(text),
                        ContentItem::ToolCall(call) => reply.tool_calls.push(call),
                        _ => {}
                    }
                }
            }
            false => reply.content = Some(items),
        }
        reply
    }
}

/// Whether content can be written by the short keys: at most one thinking, then at most one text, then calls.
fn is_plain(items: &[ContentItem]) -> bool {
    let places = items.iter().map(|item| match item {
        ContentItem::Thinking(_) => Some(1),
        ContentItem::Text(_) => Some(2),
        ContentItem::ToolCall(_) => Some(3),
        _ => None,
    });
    let Some(places) = places.collect::<Option<Vec<u8>>>() else {
        return false;
    };
    !places.is_empty()
        && places
            .windows(2)
            .all(|two| two[0] < two[1] || two == [3, 3])
}

impl Block {
    /// Adds a chunk. Empty ones have no content.
    pub(super) fn push(&mut self, chunk: &str) {
        let chunks = match self {
            Block::Text(chunks) | Block::Thinking { chunks, .. } => chunks,
            Block::Call { fragments, .. } => fragments,
            Block::Redacted(_) => return,
        };
        if !chunk.is_empty() {
            chunks.push(chunk.to_owned());
        }
    }

    fn item(self) -> ContentItem {
        match self {
            Block::Text(chunks) => ContentItem::Text(Texts(chunks)),
            Block::Thinking { chunks, signature } => ContentItem::Thinking(Thinking {
                text: Texts(chunks),
                signature,
            }),
            Block::Redacted(data) => ContentItem::RedactedThinking(data),
            Block::Call {
                id,
                name,
                fragments,
            } => ContentItem::ToolCall(tool_call(id, name, fragments)),
        }
    }
}

/// A tool call whose arguments were streamed in these fragments.
fn tool_call(id: Option<String>, name: String, streamed: Vec<String>) -> ToolCall {
    let joined = streamed.concat();
    let args = serde_json::from_str::<Value>(&joined).ok();
    let args = args.filter(|args| {
        args.is_object() && serde_json::to_string(args).is_ok_and(|written| written == joined)
    });
    let is_even = fragments(&joined, streamed.len()) == streamed;
    match args.filter(|_| is_even) {
        Some(args) => ToolCall {
            id,
            name,
            args: Some(args),
            args_raw: None,
            chunks: Some(streamed.len()).filter(|count| *count != USUAL_FRAGMENTS),
        },
        None => ToolCall {
            id,
            name,
            args: None,
            args_raw: Some(Texts(streamed)),
            chunks: None,
        },
    }
}
