//! What the user said and what tools came to, in the words of an OpenAI wire.

use super::request::Said;
use crate::message::{Block, ResultContent};
use serde_json::Value;

/// How a wire puts things.
pub(super) struct Words {
    /// The result of a call, by its id.
    pub(super) result: fn(&str, &str) -> Value,
    pub(super) text: fn(&str) -> Value,
    /// An image, by its URL.
    pub(super) image: fn(String) -> Value,
    /// A file, by its name and URL.
    pub(super) file: fn(&str, String) -> Value,
}

/// The results, which stand by themselves, and then the parts of the message. Images in results are parts of it, where the wires allow them.
pub(super) fn split(said: &Said<'_>, words: &Words) -> (Vec<Value>, Vec<Value>) {
    let (mut results, mut parts) = (Vec::new(), Vec::new());
    for block in &said.blocks {
        match block {
            Block::Result { call, output, .. } => {
                let text = match output {
                    ResultContent::Text(text) => text.as_str(),
                    ResultContent::Image { media_type, data } => {
                        parts.push((words.image)(url(media_type, data)));
                        "The image follows."
                    }
                };
                results.push((words.result)(call, text));
            }
            Block::Text(text) => parts.push((words.text)(text)),
            Block::Image { media_type, data } => parts.push((words.image)(url(media_type, data))),
            Block::Document {
                name,
                media_type,
                data,
            } => parts.push((words.file)(name, url(media_type, data))),
            Block::Thinking { .. } | Block::Redacted(_) | Block::Call { .. } => {}
        }
    }
    (results, parts)
}

fn url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}
