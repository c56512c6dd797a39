//! Parts of a conversation that faults remove: tool calls, denied calls, attached files.

use crate::model::message::{ContentBlock, Message, ResultContent};
use std::collections::HashSet;

pub(super) fn has_calls(messages: &[Message]) -> bool {
    blocks(messages).any(is_call)
}

/// Removes all calls and their results.
pub(super) fn remove_calls(messages: &mut Vec<Message>) {
    retain(messages, |block| !is_call(block));
}

pub(super) fn has_denials(messages: &[Message]) -> bool {
    blocks(messages).any(|block| denied_call(block).is_some())
}

/// Removes the denied calls and their results.
pub(super) fn remove_denials(messages: &mut Vec<Message>) {
    let denied: HashSet<_> = blocks(messages)
        .filter_map(denied_call)
        .map(str::to_owned)
        .collect();
    retain(messages, |block| match block {
        ContentBlock::Call { id: call, .. } | ContentBlock::Result { call, .. } => {
            !denied.contains(call)
        }
        _ => true,
    });
}

pub(super) fn has_files(messages: &[Message]) -> bool {
    blocks(messages).any(is_file)
}

/// Removes attached files. A message that had nothing else stays, empty.
pub(super) fn remove_files(messages: &mut [Message]) {
    for message in messages {
        message.content.retain(|block| !is_file(block));
    }
}

fn blocks(messages: &[Message]) -> impl Iterator<Item = &ContentBlock> {
    messages.iter().flat_map(|message| &message.content)
}

/// Keeps these blocks, and the messages that still have one.
fn retain(messages: &mut Vec<Message>, keep: impl Fn(&ContentBlock) -> bool) {
    for message in messages.iter_mut() {
        message.content.retain(&keep);
    }
    messages.retain(|message| !message.content.is_empty());
}

fn is_call(block: &ContentBlock) -> bool {
    matches!(
        block,
        ContentBlock::Call { .. } | ContentBlock::Result { .. }
    )
}

fn denied_call(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Result {
            call,
            output: ResultContent::Text(text),
            ..
        } if text.contains("denied") => Some(call),
        _ => None,
    }
}

fn is_file(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::Text(text) => text.contains("<file path="),
        ContentBlock::Image { .. } | ContentBlock::Document { .. } => true,
        _ => false,
    }
}
