//! Builds an answer from a reply of the script: content blocks, chunks, ids, token counts.

use crate::answer::{Answer, AnswerMessage, BlockKind, HttpError, Piece, Tokens};
use crate::ids;
use crate::request::{Request, Wire};
use crate::script::{
    ContentItem, HttpFault, ScriptReply, ScriptedUsage, Stop, Texts, Thinking, ToolCall,
};

/// Input tokens if the script gives no number.
const INPUT_TOKENS: u64 = 10;

/// The number of argument fragments of a tool call if the script gives no number.
const FRAGMENTS: usize = 2;

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
        wire: request.wire,
        pieces: Vec::new(),
        blocks: 0,
        characters: 0,
        has_calls: false,
    };
    builder.reply(reply, reply.interleave && request.wire == Wire::OpenAiChat);
    let tokens = tokens(reply.usage.unwrap_or_default(), builder.characters);
    let stop = reply.stop.unwrap_or(if builder.has_calls {
        Stop::ToolUse
    } else {
        Stop::EndTurn
    });
    let mut pieces = builder.pieces;
    if !matches!(
        pieces.last(),
        Some(Piece::Stall { length: None, .. } | Piece::Error { .. } | Piece::Cut(_))
    ) {
        pieces.extend([Piece::Usage(tokens), Piece::Stop(stop)]);
    }
    Answer::Message(AnswerMessage {
        path,
        pieces,
        tokens,
        delivery: reply.delivery.clone(),
    })
}

fn tokens(usage: ScriptedUsage, characters: usize) -> Tokens {
    Tokens {
        input: usage.input.unwrap_or(INPUT_TOKENS),
        output: usage
            .output
            .unwrap_or((characters as u64).div_ceil(4).max(1)),
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
    let headers = fault
        .headers
        .iter()
        .map(|(name, value)| (name, value.0.clone()));
    error.details.headers = headers.collect();
    error.details.code = fault.code.clone().or(error.details.code);
    error.details.body.clone_from(&fault.body);
    error
}

struct AnswerBuilder<'a> {
    path: &'a str,
    seed: u64,
    wire: Wire,
    pieces: Vec<Piece>,
    blocks: usize,
    /// Characters of content so far.
    characters: usize,
    has_calls: bool,
}

impl AnswerBuilder<'_> {
    fn reply(&mut self, reply: &ScriptReply, interleave: bool) {
        let Some(content) = &reply.content else {
            reply.thinking.iter().for_each(|one| self.thinking(one));
            reply.text.iter().for_each(|one| self.text(one));
            return self.calls(&reply.tool_calls.iter().collect::<Vec<_>>(), interleave);
        };
        let mut rest = content.as_slice();
        while let Some(item) = rest.first() {
            let run = rest.iter().map_while(as_call).collect::<Vec<_>>();
            self.calls(&run, interleave);
            if run.is_empty() {
                self.item(item);
            }
            rest = &rest[run.len().max(1)..];
        }
    }

    /// Tool calls in a row.
    fn calls(&mut self, calls: &[&ToolCall], interleave: bool) {
        if interleave && calls.len() > 1 {
            return self.interleaved(calls);
        }
        calls.iter().for_each(|call| self.call(call));
    }

    fn call(&mut self, call: &ToolCall) {
        let (index, fragments) = self.open_call(call);
        let fragments = fragments.into_iter();
        let pieces = fragments.map(|fragment| Piece::ArgsDelta { index, fragment });
        self.pieces.extend(pieces);
        self.pieces.push(Piece::BlockEnd { index });
    }

    fn text(&mut self, texts: &Texts) {
        let index = self.open(BlockKind::Text);
        let characters = texts.0.iter().map(|text| text.chars().count());
        self.characters += characters.sum::<usize>();
        let texts = texts.0.iter().cloned();
        self.pieces
            .extend(texts.map(|text| Piece::TextDelta { index, text }));
        self.pieces.push(Piece::BlockEnd { index });
    }

    fn item(&mut self, item: &ContentItem) {
        match item {
            ContentItem::Thinking(thinking) => self.thinking(thinking),
            ContentItem::RedactedThinking(data) => {
                let index = self.open(BlockKind::RedactedThinking { data: data.clone() });
                self.pieces.push(Piece::BlockEnd { index });
            }
            ContentItem::Text(texts) => self.text(texts),
            ContentItem::ToolCall(call) => self.call(call),
            ContentItem::Gate(name) => self.pieces.push(Piece::Gate(name.clone())),
            ContentItem::Delay(span) => self.pieces.push(Piece::Delay(span.0)),
            ContentItem::Stall(stall) => {
                let pings = stall.pings.map(|span| span.0);
                self.pieces.push(Piece::Stall {
                    length: stall.length.map(|span| span.0),
                    pings,
                });
            }
            ContentItem::Error(error) => self.pieces.push(Piece::Error {
                kind: error.kind.clone(),
                message: error.message.clone(),
            }),
            ContentItem::Cut(cut) => self.pieces.push(Piece::Cut(*cut)),
            ContentItem::Ping(_) => self.pieces.push(Piece::Ping),
            ContentItem::Raw(bytes) => self.pieces.push(Piece::Raw(bytes.clone())),
        }
    }

    fn thinking(&mut self, thinking: &Thinking) {
        let index = self.open(BlockKind::Thinking);
        let whole = thinking.text.joined();
        self.characters += whole.chars().count();
        self.pieces
            .extend(thinking.text.0.iter().map(|text| Piece::ThinkingDelta {
                index,
                text: text.clone(),
            }));
        let signature = thinking
            .signature
            .clone()
            .unwrap_or_else(|| ids::signature(&whole));
        self.pieces.extend([
            Piece::Signature { index, signature },
            Piece::BlockEnd { index },
        ]);
    }

    /// Several tool calls whose fragments alternate.
    fn interleaved(&mut self, calls: &[&ToolCall]) {
        let mut open = calls
            .iter()
            .map(|call| self.open_call(call))
            .map(|(i, f)| (i, f.into_iter()))
            .collect::<Vec<_>>();
        while !open.is_empty() {
            open.retain_mut(|(index, fragments)| {
                let piece = fragments.next().map(|fragment| Piece::ArgsDelta {
                    index: *index,
                    fragment,
                });
                let more = piece.is_some();
                self.pieces
                    .push(piece.unwrap_or(Piece::BlockEnd { index: *index }));
                more
            });
        }
    }

    fn open(&mut self, block: BlockKind) -> usize {
        let index = self.blocks;
        self.blocks += 1;
        self.pieces.push(Piece::BlockStart { index, block });
        index
    }

    fn open_call(&mut self, call: &ToolCall) -> (usize, Vec<String>) {
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
            ids::id(
                prefix,
                length,
                self.seed,
                &format!("{}/{}", self.path, self.blocks),
            )
        };
        let id = call.id.clone().unwrap_or_else(derived);
        let index = self.open(BlockKind::ToolCall {
            id,
            name: call.name.clone(),
        });
        (index, streamed)
    }
}

fn as_call(item: &ContentItem) -> Option<&ToolCall> {
    if let ContentItem::ToolCall(call) = item {
        Some(call)
    } else {
        None
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
