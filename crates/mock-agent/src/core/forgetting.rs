//! What the agent forgets of the conversation or remembers wrongly. Without a fault, it forgets nothing.

use crate::faults::{Bug, Faults};
use crate::model::{ContentBlock, Message, ResultContent};
use std::collections::HashSet;

/// The most characters of an earlier text of the model, with a fault.
const CUT_TEXT: usize = 5;

/// Changes texts of the model as a fault makes the agent remember them.
pub(super) fn misremember(content: &mut Vec<ContentBlock>, faults: &Faults) {
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    let has_calls = content.iter().any(|block| call(block).is_some());
    if has_calls && content.iter().any(is_text) && faults.triggers(Bug::ForgetsTextBeforeCalls) {
        content.retain(|block| !is_text(block));
    }
    for block in content {
        match block {
            ContentBlock::Text(text) => {
                if let Some((end, _)) = text.char_indices().nth(CUT_TEXT)
                    && faults.triggers(Bug::CutsOwnText)
                {
                    text.truncate(end);
                }
            }
            ContentBlock::Call { args, .. }
                if args.is_object() && faults.triggers(Bug::EmptiesOldArguments) =>
            {
                *args = serde_json::json!({});
            }
            _ => {}
        }
    }
}

/// The attachment of an earlier prompt that a fault adds to one that has none.
pub(super) fn stuck_attachment(
    messages: &[Message],
    prompt: &[ContentBlock],
    faults: &Faults,
) -> Option<ContentBlock> {
    let mut blocks = messages.iter().flat_map(|message| &message.content);
    let file = blocks.find(|block| is_file(block))?;
    let sticks = !prompt.iter().any(is_file) && faults.triggers(Bug::AttachmentsStick);
    sticks.then(|| file.clone())
}

/// Removes the messages that a fault makes the agent forget.
pub(super) fn forget(messages: &mut Vec<Message>, faults: &Faults) {
    if !messages.is_empty() && faults.triggers(Bug::ForgetsTurns) {
        messages.clear();
    }
    if messages.len() >= 4 && faults.triggers(Bug::ForgetsFirstTurn) {
        messages.drain(..2);
    }
    if messages.len() >= 4 && faults.triggers(Bug::SwapsTurns) {
        messages[..4].rotate_left(2);
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

/// The id of the call that a block reports as denied.
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
