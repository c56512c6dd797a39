//! What the model knows to have said: the real API knows its own thoughts again by their signatures.

use std::collections::{HashMap, HashSet};

use crate::answer::{Answer, BlockKind, Piece};
use crate::ids;
use crate::script::{ContentItem, Script};

/// Thoughts and the calls that followed them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignatureStore {
    /// Each signature in the script with its thought.
    thoughts: HashMap<String, String>,
    /// The ids of calls that were served in a message which began with a thought.
    thoughtful: HashSet<String>,
}

impl SignatureStore {
    /// Every thought of a script. They are known from the start: an agent may resume what an earlier run was told.
    pub(crate) fn of(script: &Script) -> Self {
        let short = script
            .replies
            .iter()
            .filter_map(|reply| reply.thinking.as_ref());
        let listed = script
            .replies
            .iter()
            .flat_map(|reply| reply.content.iter().flatten())
            .filter_map(|item| match item {
                ContentItem::Thinking(thinking) => Some(thinking),
                _ => None,
            });
        let signed = short
            .chain(listed)
            .filter_map(|thinking| Some((thinking.signature.clone()?, thinking.text.joined())));
        SignatureStore {
            thoughts: signed.collect(),
            thoughtful: HashSet::new(),
        }
    }

    /// Remembers an answer as served.
    pub(crate) fn note(&mut self, answer: &Answer) {
        let Answer::Message(message) = answer else {
            return;
        };
        let mut blocks = message.pieces.iter().filter_map(|piece| match piece {
            Piece::BlockStart { block, .. } => Some(block),
            _ => None,
        });
        if matches!(
            blocks.next(),
            Some(BlockKind::Thinking | BlockKind::RedactedThinking { .. })
        ) {
            self.thoughtful
                .extend(blocks.filter_map(|block| match block {
                    BlockKind::ToolCall { id, .. } => Some(id.clone()),
                    _ => None,
                }));
        }
    }

    /// The thought that the script gives this signature.
    pub(crate) fn thought_of(&self, signature: &str) -> Option<&str> {
        self.thoughts.get(signature).map(String::as_str)
    }

    /// Whether this is the derived signature of the thought.
    pub(crate) fn signed(&self, thought: &str, signature: &str) -> bool {
        ids::signature(thought) == signature
    }

    /// Whether a thought was served before the call of this id.
    pub(crate) fn thought_before(&self, call: &str) -> bool {
        self.thoughtful.contains(call)
    }
}
