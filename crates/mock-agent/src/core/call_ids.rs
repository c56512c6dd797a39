//! Makes the ids of tool calls unique: models give ids that are empty or were used before.

use crate::faults::{Bug, Faults};
use crate::model::{BlockStart, Chunk, ContentBlock, Message};
use std::collections::HashSet;

/// The ids used so far.
#[derive(Debug, Default)]
pub(crate) struct CallIds(HashSet<String>);

impl CallIds {
    /// The ids in a conversation.
    pub(crate) fn from_messages(messages: &[Message]) -> Self {
        let blocks = messages.iter().flat_map(|message| &message.content);
        let ids = blocks.filter_map(|block| match block {
            ContentBlock::Call { id, .. } => Some(id.clone()),
            _ => None,
        });
        CallIds(ids.collect())
    }

    /// Replaces the id of a call that starts, if it is empty or was used before.
    pub(crate) fn make_unique(&mut self, chunk: &mut Chunk, faults: &Faults) {
        if let Chunk::Start {
            block: BlockStart::Call { id, .. },
            ..
        } = chunk
        {
            let unique = self.unique(id);
            if unique != *id && !faults.triggers(Bug::RepeatsCallIds) {
                *id = unique;
            }
        }
    }

    /// Releases the ids of an incomplete reply.
    pub(crate) fn release(&mut self, content: &[ContentBlock]) {
        for block in content {
            if let ContentBlock::Call { id, .. } = block {
                self.0.remove(id);
            }
        }
    }

    fn unique(&mut self, id: &str) -> String {
        let (base, first) = if id.is_empty() { ("call", 1) } else { (id, 2) };
        let own = (!id.is_empty()).then(|| id.to_owned());
        let numbered = (first..).map(|n| format!("{base}-{n}"));
        own.into_iter()
            .chain(numbered)
            .find(|id| self.0.insert(id.clone()))
            .unwrap_or_default()
    }
}
