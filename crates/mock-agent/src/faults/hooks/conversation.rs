//! Faults in what the model gets of the conversation.

use crate::core::conversation::Conversation;
use crate::core::hooks::ConversationHooks;
use crate::faults::bug::Bug;
use crate::faults::{Faults, memory};
use crate::model::message::{ContentBlock, Message};

impl ConversationHooks for Faults {
    fn attached_files<'a>(&self, paths: &'a [String]) -> &'a [String] {
        if !paths.is_empty() && self.triggers(Bug::LosesFiles) {
            return &[];
        }
        paths
    }

    fn attachment(&self, mut file: ContentBlock) -> ContentBlock {
        if let ContentBlock::Image { media_type, .. } = &mut file
            && media_type != "image/png"
            && self.triggers(Bug::ImagesArePng)
        {
            "image/png".clone_into(media_type);
        }
        file
    }

    fn prompt_text(&self, text: &str) -> String {
        if self.triggers(Bug::LosesInput) {
            return "(nothing)".into();
        }
        text.to_owned()
    }

    fn on_turn_prompt(&self, messages: &mut Vec<Message>) {
        if !messages.is_empty() && self.triggers(Bug::ForgetsTurns) {
            messages.clear();
        }
        if messages.len() >= 4 && self.triggers(Bug::ForgetsFirstTurn) {
            messages.drain(..2);
        }
        if memory::has_denials(messages) && self.triggers(Bug::ForgetsDenials) {
            memory::remove_denials(messages);
        }
        if memory::has_files(messages) && self.triggers(Bug::ForgetsFiles) {
            memory::remove_files(messages);
        }
        if memory::has_calls(messages) && self.triggers(Bug::ForgetsOldResults) {
            memory::remove_calls(messages);
        }
    }

    fn keeps_history(&self, is_first: bool) -> bool {
        let loses = !is_first && self.triggers(Bug::LosesLaterHistory);
        !loses && !self.triggers(Bug::LosesHistory)
    }

    fn compact(&self, conversation: &mut Conversation, summary: String, kept: Vec<Message>) {
        let summary = match self.triggers(Bug::CompactionLosesSummary) {
            true => "(compacted)".into(),
            false => summary,
        };
        if self.triggers(Bug::CompactionKeepsHistory) {
            conversation.add_note(summary);
        } else if self.triggers(Bug::CompactForgetsAll) {
            conversation.messages.clear();
        } else if !self.triggers(Bug::CompactsNothing) {
            conversation.replace_by(summary, kept);
        }
    }

    fn compaction_threshold(&self, threshold: u64, used: u64) -> u64 {
        match used > threshold {
            true if self.triggers(Bug::CompactsNever) => u64::MAX,
            false if used > threshold / 2 && self.triggers(Bug::CompactsEarly) => threshold / 2,
            _ => threshold,
        }
    }
}
