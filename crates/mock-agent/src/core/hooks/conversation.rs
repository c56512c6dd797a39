//! Hooks: what the user has said, as the model gets it, and its compaction.

use crate::core::conversation::Conversation;
use crate::model::message::{ContentBlock, Message};

/// The decisions about the conversation.
pub(crate) trait ConversationHooks {
    /// Paths of attached files that are loaded.
    fn attached_files<'a>(&self, paths: &'a [String]) -> &'a [String] {
        paths
    }

    /// An attached file as the model gets it.
    fn attachment(&self, file: ContentBlock) -> ContentBlock {
        file
    }

    /// The user's text as the model gets it.
    fn prompt_text(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Changes the conversation at the start of a turn. Correct is to change nothing.
    fn on_turn_prompt(&self, _messages: &mut Vec<Message>) {}

    /// Whether a part of the history that the host gives is kept.
    fn keeps_history(&self, _is_first: bool) -> bool {
        true
    }

    /// Replaces the conversation by its summary and the messages that are kept.
    fn compact(&self, conversation: &mut Conversation, summary: String, kept: Vec<Message>) {
        conversation.replace_by(summary, kept);
    }

    /// The number of tokens from which on the conversation is compacted automatically.
    fn compaction_threshold(&self, threshold: u64, _used: u64) -> u64 {
        threshold
    }
}
