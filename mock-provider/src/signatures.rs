//! Signatures of thinking blocks: the real API verifies that a thinking block comes back unchanged.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::answer::{Answer, BlockStart};
use crate::script::{ContentItem, Script};

/// The known thinking blocks, by signature.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignatureStore {
    /// The thinking of each signature in the script.
    thinking: HashMap<String, String>,
    /// The ids of tool calls in messages that began with thinking: the newest of them.
    calls_after_thinking: HashSet<Arc<str>>,
    /// The same, in order.
    newest_calls: VecDeque<Arc<str>>,
}

/// Most tool calls that are remembered.
const MAX_CALLS: usize = 1 << 13;

impl SignatureStore {
    /// The signatures of a script. All are known from the start, because an agent may resume the session of an earlier run.
    pub(crate) fn new(script: &Script) -> Self {
        let thinking = script.replies.iter().flat_map(|reply| {
            let items = reply.content.iter().flatten();
            let listed = items.filter_map(|item| match item {
                ContentItem::Thinking(thinking) => Some(thinking),
                _ => None,
            });
            reply.thinking.iter().chain(listed)
        });
        SignatureStore {
            thinking: thinking
                .filter_map(|one| Some((one.signature.clone()?, one.text.joined())))
                .collect(),
            ..SignatureStore::default()
        }
    }

    /// Adds the tool calls of an answer that was served.
    pub(crate) fn add(&mut self, answer: &Answer) {
        let Answer::Message(message) = answer else {
            return;
        };
        let mut blocks = message.starts();
        let first = blocks.next();
        if matches!(first, Some(BlockStart::Thinking | BlockStart::Redacted(_))) {
            for block in blocks {
                if let BlockStart::Call { id, .. } = block {
                    self.add_call(id);
                }
            }
        }
    }

    fn add_call(&mut self, id: &str) {
        let id: Arc<str> = id.into();
        if !self.calls_after_thinking.insert(Arc::clone(&id)) {
            return;
        }
        self.newest_calls.push_back(id);
        if self.newest_calls.len() > MAX_CALLS
            && let Some(oldest) = self.newest_calls.pop_front()
        {
            self.calls_after_thinking.remove(&oldest);
        }
    }

    /// The thinking with this signature in the script.
    pub(crate) fn thinking_of(&self, signature: &str) -> Option<&str> {
        self.thinking.get(signature).map(String::as_str)
    }

    /// Whether the message of a tool call began with thinking.
    pub(crate) fn has_thinking_before(&self, call: &str) -> bool {
        self.calls_after_thinking.contains(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_calls_are_remembered_however_many_there_are() {
        let mut store = SignatureStore::default();
        for n in 0..2 * MAX_CALLS {
            store.add_call(&format!("call {n}"));
        }
        assert_eq!(store.calls_after_thinking.len(), MAX_CALLS);
        assert_eq!(store.newest_calls.len(), MAX_CALLS);
        assert!(store.has_thinking_before(&format!("call {}", 2 * MAX_CALLS - 1)));
        assert!(!store.has_thinking_before("call 0"));
    }
}
