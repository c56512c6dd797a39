//! What the agent forgets at the start of a turn. Without a fault, that is nothing.

use crate::faults::{Bug, Faults};
use crate::model::message::{ContentBlock, Message, ResultContent};
use std::collections::HashSet;

/// Removes what a fault makes the agent forget.
pub(super) fn forget(messages: &mut Vec<Message>, faults: &Faults) {
    if !messages.is_empty() && faults.triggers(Bug::ForgetsTurns) {
        messages.clear();
    }
    if messages.len() >= 4 && faults.triggers(Bug::ForgetsFirstTurn) {
        messages.drain(..2);
    }
    let blocks = messages.iter().flat_map(|message| &message.content);
    let denied: HashSet<_> = blocks.filter_map(denied_call).collect();
    let is_denied = |block: &ContentBlock| call(block).is_some_and(|call| denied.contains(call));
    let is_call = |block: &ContentBlock| call(block).is_some();
    type Forgotten<'a> = (Bug, &'a dyn Fn(&ContentBlock) -> bool);
    let parts: [Forgotten<'_>; 3] = [
        (Bug::ForgetsDenials, &is_denied),
        (Bug::ForgetsFiles, &is_file),
        (Bug::ForgetsOldResults, &is_call),
    ];
    for (bug, is_forgotten) in parts {
        let mut blocks = messages.iter().flat_map(|message| &message.content);
        if blocks.any(is_forgotten) && faults.triggers(bug) {
            for message in messages.iter_mut() {
                message.content.retain(|block| !is_forgotten(block));
            }
            // A message with nothing but a file stays, empty.
            messages.retain(|message| bug == Bug::ForgetsFiles || !message.content.is_empty());
        }
    }
}

/// The id of the call that a block requests or answers.
fn call(block: &ContentBlock) -> Option<&String> {
    match block {
        ContentBlock::Call { id: call, .. } | ContentBlock::Result { call, .. } => Some(call),
        _ => None,
    }
}

/// The id of the call that a block says is denied.
fn denied_call(block: &ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Result {
            call,
            output: ResultContent::Text(text),
            ..
        } if text.contains("denied") => Some(call.clone()),
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
