//! What a model is asked, whatever its wire.

use crate::message::{Block, Message, Role};
use serde_json::Value;

/// A request for the next message.
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) max_tokens: u32,
    pub(crate) system: &'a str,
    pub(crate) messages: &'a [Message],
    pub(crate) tools: &'a [ToolSpec],
}

/// A tool as the model is told of it.
#[derive(Debug, Clone)]
pub(crate) struct ToolSpec {
    pub(crate) name: String,
    pub(crate) purpose: String,
    /// JSON Schema of the arguments.
    pub(crate) parameters: Value,
}

/// A run of messages by the same speaker, as one: the wires want the speakers to take turns.
pub(super) struct Said<'a> {
    pub(super) role: Role,
    pub(super) blocks: Vec<&'a Block>,
}

/// The conversation with neighbours of the same role joined, and empty messages left out.
pub(super) fn joined(messages: &[Message]) -> Vec<Said<'_>> {
    let mut said: Vec<Said<'_>> = Vec::new();
    for message in messages
        .iter()
        .filter(|message| !message.content.is_empty())
    {
        match said.last_mut() {
            Some(last) if last.role == message.role => last.blocks.extend(&message.content),
            _ => said.push(Said {
                role: message.role,
                blocks: message.content.iter().collect(),
            }),
        }
    }
    said
}
