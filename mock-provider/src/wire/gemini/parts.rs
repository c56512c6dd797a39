//! The parts of an answer: <https://ai.google.dev/api/caching#Part>.

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::answer::{Block, BlockStart, Chunk};
use crate::ids;

/// Writes the parts of a message. A signature of thinking is on the first call after it, or else on the last part:
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>.
#[derive(Debug, Default)]
pub(super) struct PartWriter {
    /// The calls whose arguments are not complete.
    calls: Vec<Block>,
    has_calls: bool,
    signature: Option<String>,
    /// A call whose arguments are no object, which this API cannot send.
    pub(super) malformed: Option<String>,
}

impl PartWriter {
    /// The part that a chunk adds. A call is one part.
    pub(super) fn part(&mut self, chunk: &Chunk) -> Option<Value> {
        match chunk {
            Chunk::Text { text, .. } => Some(json!({ "text": text })),
            Chunk::Thinking { text, .. } => Some(json!({ "text": text, "thought": true })),
            Chunk::Signature { signature, .. } => {
                self.signature = Some(base64(signature));
                None
            }
            Chunk::Start { index, block } => {
                if matches!(block, BlockStart::Call { .. }) {
                    self.calls.push(Block::new(*index, block));
                }
                (*block == BlockStart::Thinking)
                    .then(|| self.signed())
                    .flatten()
            }
            Chunk::Args { index, fragment } => {
                let mut calls = self.calls.iter_mut();
                let call = calls.find(|call| call.index == *index)?;
                call.push(fragment);
                None
            }
            Chunk::End { index } => {
                let place = self.calls.iter().position(|call| call.index == *index)?;
                let call = self.calls.remove(place);
                self.call(&call)
            }
            Chunk::Stop(_) => self.signed(),
            Chunk::Usage(_) => None,
        }
    }

    fn call(&mut self, call: &Block) -> Option<Value> {
        let BlockStart::Call { id, tool } = &call.start else {
            return None;
        };
        let Ok(Value::Object(args)) = serde_json::from_str(call.text()) else {
            self.malformed = Some(format!("{tool}({})", call.text()));
            return None;
        };
        let mut part = json!({ "functionCall": { "name": tool, "args": args, "id": id } });
        let is_first = !std::mem::replace(&mut self.has_calls, true);
        let usual = || is_first.then(|| ids::signature(tool));
        if let Some(signature) = self.signature.take().or_else(usual) {
            part["thoughtSignature"] = signature.into();
        }
        Some(part)
    }

    /// A part for a signature that no other part has.
    fn signed(&mut self) -> Option<Value> {
        let signature = self.signature.take()?;
        Some(json!({ "text": "", "thoughtSignature": signature }))
    }
}

/// Adds a part to those of a whole answer, in which adjacent texts are one part.
pub(super) fn merge(parts: &mut Vec<Value>, part: Value) {
    let adjacent = parts.last_mut().filter(|last| {
        let is_open = last["thoughtSignature"].is_null() && last["thought"] == part["thought"];
        is_open && last["text"].is_string() && part["text"].is_string()
    });
    let Some(last) = adjacent else {
        return parts.push(part);
    };
    let texts = [&last["text"], &part["text"]].map(|text| text.as_str().unwrap_or_default());
    last["text"] = texts.concat().into();
    if let Some(signature) = part.get("thoughtSignature") {
        last["thoughtSignature"] = signature.clone();
    }
}

/// A signature as bytes in JSON: clients decode it.
fn base64(signature: &str) -> String {
    match BASE64.decode(signature.as_bytes()) {
        Ok(_) => signature.to_owned(),
        Err(_) => BASE64.encode(signature.as_bytes()),
    }
}
