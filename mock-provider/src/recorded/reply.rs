//! The reply of a script that reproduces the chunks of an answer.

use crate::answer::{Block, BlockStart, Blocks, Chunk, Usage};
use crate::answer_builder::{FRAGMENTS, fragments};
use crate::script::{
    ContentItem, Cut, ScriptReply, ScriptedUsage, Stall, Stop, StreamError, Texts, Thinking,
    ToolCall,
};
use crate::server::ExchangeEnd;
use crate::wire::ReplyDecoder;
use serde_json::Value;

/// The reply that reproduces a decoded answer, with the error that it reported.
pub(super) fn scripted(
    mut decoder: ReplyDecoder,
    error: Option<StreamError>,
    end: ExchangeEnd,
) -> ScriptReply {
    let (mut blocks, mut usage) = (Blocks::default(), None);
    while let Some(chunk) = decoder.take() {
        blocks.add(&chunk);
        if let Chunk::Usage(used) = chunk {
            usage = Some(used);
        }
    }
    let calls = |block: &Block| matches!(block.start, BlockStart::Call { .. });
    let usual_stop = if blocks.0.iter().any(calls) {
        Stop::ToolUse
    } else {
        Stop::EndTurn
    };
    let stop = decoder.stop().filter(|_| decoder.is_complete());
    let last = match (stop, error, end) {
        (_, Some(error), _) => Some(ContentItem::Error(error)),
        (Some(_), None, _) => None,
        (None, None, ExchangeEnd::Complete) => Some(ContentItem::Cut(Cut::End)),
        (None, None, ExchangeEnd::ClientClosed) => Some(ContentItem::Stall(Stall::default())),
        (None, None, ExchangeEnd::Cut) => Some(ContentItem::Cut(Cut::Close)),
    };
    let items: Vec<_> = blocks.0.into_iter().map(item).chain(last).collect();
    let mut reply = ScriptReply {
        usage: usage.map(scripted_usage),
        stop: stop.filter(|stop| *stop != usual_stop),
        ..ScriptReply::default()
    };
    if !is_plain(&items) {
        reply.content = Some(items);
        return reply;
    }
    for item in items {
        match item {
            ContentItem::Thinking(thinking) => reply.thinking = Some(thinking),
            ContentItem::Text(text) => reply.text = Some(text),
            ContentItem::ToolCall(call) => reply.tool_calls.push(call),
            _ => {}
        }
    }
    reply
}

/// The signature as a script has it: of a whole reasoning item, its encrypted content.
fn plain_signature(signature: String) -> Option<String> {
    match serde_json::from_str::<Value>(&signature) {
        _ if signature.is_empty() => None,
        Ok(item) if item.is_object() => item["encrypted_content"].as_str().map(str::to_owned),
        _ => Some(signature),
    }
}

/// Counts that are zero by default are left out.
fn scripted_usage(used: Usage) -> ScriptedUsage {
    let count = |count| Some(count).filter(|count| *count > 0);
    ScriptedUsage {
        input: Some(used.input),
        output: Some(used.output),
        cache_read: count(used.cache_read),
        cache_write: count(used.cache_write),
        reasoning: count(used.reasoning),
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
    let ascends = |two: &[u8]| two[0] < two[1] || two == [3, 3];
    !places.is_empty() && places.windows(2).all(ascends)
}

fn item(block: Block) -> ContentItem {
    let pieces = block.pieces();
    match block.start {
        BlockStart::Text => ContentItem::Text(Texts(pieces)),
        BlockStart::Thinking => ContentItem::Thinking(Thinking {
            text: Texts(pieces),
            signature: plain_signature(block.signature),
        }),
        BlockStart::Redacted(data) => ContentItem::RedactedThinking(data),
        BlockStart::Call { id, tool } => ContentItem::ToolCall(tool_call(id, tool, pieces)),
    }
}

/// A tool call whose arguments were streamed in these fragments.
fn tool_call(id: String, name: String, streamed: Vec<String>) -> ToolCall {
    let joined = streamed.concat();
    let is_even = fragments(&joined, streamed.len()) == streamed;
    let args = serde_json::from_str::<Value>(&joined)
        .ok()
        .filter(|args| is_even && args.is_object() && format!("{args}") == joined);
    let is_written = args.is_some();
    ToolCall {
        purpose: None,
        offered: None,
        id: Some(id).filter(|id| !id.is_empty()),
        name,
        args,
        chunks: Some(streamed.len()).filter(|count| is_written && *count != FRAGMENTS),
        args_raw: (!is_written).then_some(Texts(streamed)),
    }
}
