//! Builds an answer from a reply of the script: content blocks, chunks, ids, token counts.

use crate::answer::{Answer, AnswerMessage, BlockStart, Chunk, HttpError, Piece, Usage};
use crate::conversation::offered_tools;
use crate::headers::header_map;
use crate::ids;
use crate::request::{Request, Wire};
use crate::script::{
    ContentItem, Delivery, HttpFault, ScriptReply, ScriptedUsage, Stop, Texts, Thinking, ToolCall,
};
use serde_json::Value;

/// Input tokens if the script gives no number.
const INPUT_TOKENS: u64 = 10;

/// The number of argument fragments of a tool call if the script gives no number.
pub(crate) const FRAGMENTS: usize = 2;

/// The answer of the reply at `path` to a request.
pub(crate) fn answer(reply: &ScriptReply, path: String, seed: u64, request: &Request) -> Answer {
    if let Some(cut) = reply.cut {
        return Answer::Cut(cut);
    }
    if let Some(fault) = &reply.error {
        return Answer::Error(http_error(fault, request.wire));
    }
    let mut builder = AnswerBuilder {
        path: &path,
        seed,
        request,
        wire: request.wire,
        interleave: reply.interleave && request.wire == Wire::OpenAiChat,
        pieces: Vec::new(),
        blocks: 0,
        characters: 0,
        has_calls: false,
    };
    builder.reply(reply);
    let usage = usage(reply.usage.unwrap_or_default(), builder.characters);
    let usual_stop = if builder.has_calls {
        Stop::ToolUse
    } else {
        Stop::EndTurn
    };
    let mut pieces = builder.pieces;
    if !matches!(
        pieces.last(),
        Some(Piece::Stall { length: None, .. } | Piece::Error(_) | Piece::Cut(_))
    ) {
        pieces.push(Piece::Chunk(Chunk::Stop(reply.stop.unwrap_or(usual_stop))));
    }
    Answer::Message(AnswerMessage {
        path,
        pieces: pieces.into(),
        stop_details: reply.stop_details.clone(),
        usage,
        delivery: reply.delivery.clone(),
    })
}

/// A message without output.
pub(crate) fn empty_answer(path: String) -> Answer {
    Answer::Message(AnswerMessage {
        path,
        pieces: vec![Piece::Chunk(Chunk::Stop(Stop::MaxTokens))].into(),
        stop_details: None,
        usage: Usage {
            input: INPUT_TOKENS,
            ..Usage::default()
        },
        delivery: Delivery::default(),
    })
}

fn usage(usage: ScriptedUsage, characters: usize) -> Usage {
    let usual_output = || (characters as u64).div_ceil(4).max(1);
    Usage {
        input: usage.input.unwrap_or(INPUT_TOKENS),
        output: usage.output.unwrap_or_else(usual_output),
        cache_read: usage.cache_read.unwrap_or_default(),
        cache_write: usage.cache_write.unwrap_or_default(),
        reasoning: usage.reasoning.unwrap_or_default(),
    }
}

fn http_error(fault: &HttpFault, wire: Wire) -> HttpError {
    let mut error = wire.usual_error(fault.status);
    if let Some(kind) = &fault.kind {
        error = HttpError::new(fault.status, kind, error.message);
    }
    if let Some(message) = &fault.message {
        error.message.clone_from(message);
    }
    let headers = fault.headers.iter();
    error.details.headers = header_map(headers.map(|(name, value)| (name, &value.0)));
    error.details.code = fault.code.clone().or(error.details.code);
    error.details.body.clone_from(&fault.body);
    error
}

struct AnswerBuilder<'a> {
    path: &'a str,
    seed: u64,
    request: &'a Request,
    wire: Wire,
    /// The fragments of tool calls in a row alternate.
    interleave: bool,
    pieces: Vec<Piece>,
    blocks: usize,
    /// Characters of content so far.
    characters: usize,
    has_calls: bool,
}

impl AnswerBuilder<'_> {
    fn reply(&mut self, reply: &ScriptReply) {
        let Some(content) = &reply.content else {
            reply.thinking.iter().for_each(|one| self.thinking(one));
            reply.text.iter().for_each(|one| self.text(one));
            return self.calls(&reply.tool_calls.iter().collect::<Vec<_>>());
        };
        let mut rest = content.as_slice();
        while let Some(item) = rest.first() {
            let run = rest.iter().map_while(as_call).collect::<Vec<_>>();
            self.calls(&run);
            if run.is_empty() {
                self.item(item);
            }
            rest = &rest[run.len().max(1)..];
        }
    }

    /// Tool calls in a row: one after the other, or all open at once with a fragment of each in turn.
    fn calls(&mut self, calls: &[&ToolCall]) {
        let at_once = if self.interleave { calls.len() } else { 1 };
        for calls in calls.chunks(at_once.max(1)) {
            let open = calls.iter().map(|call| self.open_call(call));
            let mut open = open.collect::<Vec<_>>();
            while !open.is_empty() {
                open.retain_mut(|(index, fragments)| {
                    let (index, fragment) = (*index, fragments.next());
                    let more = fragment.is_some();
                    self.push(
                        fragment.map_or(Chunk::End { index }, |fragment| Chunk::Args {
                            index,
                            fragment,
                        }),
                    );
                    more
                });
            }
        }
    }

    fn text(&mut self, texts: &Texts) {
        let index = self.open(BlockStart::Text);
        for text in texts.0.iter().cloned() {
            self.characters += text.chars().count();
            self.push(Chunk::Text { index, text });
        }
        self.push(Chunk::End { index });
    }

    fn item(&mut self, item: &ContentItem) {
        let piece = match item {
            ContentItem::Thinking(thinking) => return self.thinking(thinking),
            ContentItem::RedactedThinking(data) => {
                let index = self.open(BlockStart::Redacted(data.clone()));
                Piece::Chunk(Chunk::End { index })
            }
            ContentItem::Text(texts) => return self.text(texts),
            ContentItem::ToolCall(call) => return self.calls(&[call]),
            ContentItem::Gate(name) => Piece::Gate(name.clone()),
            ContentItem::Delay(span) => Piece::Delay(span.0),
            ContentItem::Stall(stall) => Piece::Stall {
                length: stall.length.map(|span| span.0),
                pings: stall.pings.map(|span| span.0),
            },
            ContentItem::Error(error) => Piece::Error(error.clone()),
            ContentItem::Cut(cut) => Piece::Cut(*cut),
            ContentItem::Ping(_) => Piece::Ping,
            ContentItem::Raw(bytes) => Piece::Raw(bytes.clone()),
        };
        self.pieces.push(piece);
    }

    fn thinking(&mut self, thinking: &Thinking) {
        let index = self.open(BlockStart::Thinking);
        let whole = thinking.text.joined();
        self.characters += whole.chars().count();
        for text in thinking.text.0.iter().cloned() {
            self.push(Chunk::Thinking { index, text });
        }
        let signature = thinking.signature.clone();
        let signature = signature.unwrap_or_else(|| ids::signature(&whole));
        self.push(Chunk::Signature { index, signature });
        self.push(Chunk::End { index });
    }

    fn push(&mut self, chunk: Chunk) {
        self.pieces.push(Piece::Chunk(chunk));
    }

    fn open(&mut self, block: BlockStart) -> usize {
        let index = self.blocks;
        self.blocks += 1;
        self.push(Chunk::Start { index, block });
        index
    }

    /// Begins a tool call. Returns its number and the fragments of its arguments.
    fn open_call(&mut self, call: &ToolCall) -> (usize, std::vec::IntoIter<String>) {
        let args = match (&call.args_raw, &call.args) {
            (Some(raw), _) => raw.joined(),
            (None, Some(args)) => args.to_string(),
            (None, None) => "{}".to_owned(),
        };
        let streamed = match &call.args_raw {
            Some(Texts(given)) if given.len() != 1 => given.clone(),
            _ => fragments(&args, call.chunks.unwrap_or(FRAGMENTS)),
        };
        self.has_calls = true;
        self.characters += args.chars().count();
        let (prefix, length) = self.wire.call_id();
        let derived = || {
            let position = format!("{}/{}", self.path, self.blocks);
            ids::id(prefix, length, self.seed, &position)
        };
        let id = call.id.clone().unwrap_or_else(derived);
        let offered = offered_tools(&self.request.body).filter_map(tool_name);
        let tool = call.name_of(offered).to_owned();
        let index = self.open(BlockStart::Call { id, tool });
        (index, streamed.into_iter())
    }
}

/// The name of an offered tool.
fn tool_name(tool: &Value) -> Option<&str> {
    tool.get("function").unwrap_or(tool)["name"].as_str()
}

fn as_call(item: &ContentItem) -> Option<&ToolCall> {
    match item {
        ContentItem::ToolCall(call) => Some(call),
        _ => None,
    }
}

/// A text in `count` fragments of nearly equal length, or fewer if it has fewer characters. No fragment is empty.
pub(crate) fn fragments(text: &str, count: usize) -> Vec<String> {
    let chars = text.chars().collect::<Vec<_>>();
    let count = count.clamp(1, chars.len().max(1));
    let cut = |i: usize| i * chars.len() / count;
    let pieces = (0..count).map(|i| chars[cut(i)..cut(i + 1)].iter().collect::<String>());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

#[cfg(test)]
mod tests;
