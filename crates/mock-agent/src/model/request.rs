//! A model request, and what the wires share when they write it: merged messages, content parts.

use crate::model::{ContentBlock, Message, ResultContent, Role};
use serde_json::Value;
use std::sync::LazyLock;

/// A request for the next reply, on any wire.
pub(crate) struct ModelRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) max_tokens: u32,
    pub(crate) system: &'a str,
    pub(crate) messages: &'a [Message],
    pub(crate) tools: &'a [ToolSpec],
}

/// A tool as it is described to the model.
#[derive(Debug, Clone)]
pub(crate) struct ToolSpec {
    pub(crate) name: String,
    pub(crate) purpose: String,
    /// JSON Schema of the arguments.
    pub(crate) parameters: Value,
}

/// A body with the tools, each as the wire writes it; without any, it has no list of them.
pub(super) fn with_tools(
    mut body: Value,
    tools: &[ToolSpec],
    write: fn(&ToolSpec) -> Value,
) -> Value {
    if !tools.is_empty() {
        body["tools"] = tools.iter().map(write).collect();
    }
    body
}

/// Consecutive messages of one role as one message, because the wires require roles to alternate.
pub(super) struct MergedMessage<'a> {
    pub(super) role: Role,
    pub(super) blocks: Vec<&'a ContentBlock>,
}

/// The text that replaces a blank message of the user: the wires refuse blank texts, in every later request too.
static NOTHING: LazyLock<ContentBlock> =
    LazyLock::new(|| ContentBlock::Text("(an empty message)".to_owned()));

/// The conversation with consecutive messages of one role merged, and with blank texts and empty messages left out.
pub(super) fn merge_roles(messages: &[Message]) -> Vec<MergedMessage<'_>> {
    let is_blank = |block: &&ContentBlock| match block {
        ContentBlock::Text(text) => text.trim().is_empty(),
        _ => false,
    };
    let mut merged: Vec<MergedMessage<'_>> = Vec::new();
    for message in messages {
        let content = message.content.iter();
        let mut blocks: Vec<_> = content.filter(|block| !is_blank(block)).collect();
        if blocks.is_empty() && message.role == Role::User && !message.content.is_empty() {
            blocks.push(&NOTHING);
        }
        match merged.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == message.role => last.blocks.append(&mut blocks),
            _ => merged.push(MergedMessage {
                role: message.role,
                blocks,
            }),
        }
    }
    merged
}

/// How an OpenAI wire writes the content of a user message.
pub(super) struct PartFormat {
    /// A tool result, from the call's id and the text.
    pub(super) result: fn(&str, &str) -> Value,
    pub(super) text: fn(&str) -> Value,
    /// An image, from its URL.
    pub(super) image: fn(String) -> Value,
    /// A file, from its name and URL.
    pub(super) file: fn(&str, String) -> Value,
}

/// Splits a user message for an OpenAI wire: the tool results, which are items of their own, and the message's content parts.
/// Images in results become parts of the message, the only place where these wires allow them.
pub(super) fn split_results(
    message: &MergedMessage<'_>,
    format: &PartFormat,
) -> (Vec<Value>, Vec<Value>) {
    let (mut results, mut parts) = (Vec::new(), Vec::new());
    for block in &message.blocks {
        match block {
            ContentBlock::Result { call, output, .. } => {
                let text = match output {
                    ResultContent::Text(text) => text.as_str(),
                    ResultContent::Image { media_type, data } => {
                        parts.push((format.image)(data_url(media_type, data)));
                        "The image follows."
                    }
                };
                results.push((format.result)(call, text));
            }
            ContentBlock::Text(text) => parts.push((format.text)(text)),
            ContentBlock::Image { media_type, data } => {
                parts.push((format.image)(data_url(media_type, data)));
            }
            ContentBlock::Document {
                name,
                media_type,
                data,
            } => parts.push((format.file)(name, data_url(media_type, data))),
            ContentBlock::Thinking { .. }
            | ContentBlock::Redacted(_)
            | ContentBlock::Call { .. } => {}
        }
    }
    (results, parts)
}

fn data_url(media_type: &str, data: &str) -> String {
    format!("data:{media_type};base64,{data}")
}
