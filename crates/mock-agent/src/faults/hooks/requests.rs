//! Faults in requests to the model and their retries.

use crate::core::conversation::Conversation;
use crate::core::hooks::{ExtraRequest, RequestHooks};
use crate::faults::Faults;
use crate::faults::bug::Bug;
use crate::model::ModelRequest;
use crate::model::message::{ContentBlock, Message, Role};

impl RequestHooks for Faults {
    fn model_request(&self, request: &mut ModelRequest<'_>) {
        if !self.asked.replace(true) {
            return;
        }
        if self.triggers(Bug::SystemPromptOnce) {
            request.system = "";
        }
        if self.triggers(Bug::MaxTokensOnce) {
            request.max_tokens = 4096;
        }
        let (turn, first) = self.turns(Bug::ToolsOnce);
        if turn > first && self.triggers(Bug::ToolsOnce) {
            request.tools = &[];
        }
    }

    fn request_before_turn(&self, prompt: &str) -> Option<ExtraRequest> {
        let text = || format!("Find a title of a few words for this: {prompt}");
        self.triggers(Bug::RequestsTitle).then(|| ExtraRequest {
            system: Some("You find titles for conversations."),
            messages: vec![user(text())],
            tools: false,
        })
    }

    fn request_after_turn(&self, messages: &[Message]) -> Option<ExtraRequest> {
        let mut messages = messages.to_vec();
        if self.triggers(Bug::RequestsSummary) {
            messages.push(user("Summarize the conversation so far.".into()));
        } else if !self.triggers(Bug::RepeatsLastRequest) {
            return None;
        }
        Some(ExtraRequest {
            system: None,
            messages,
            tools: true,
        })
    }

    fn sums_usage(&self) -> bool {
        !self.triggers(Bug::UsageOfLastRequest)
    }

    fn repeats_refused_request(&self) -> bool {
        self.triggers(Bug::RepeatsRefusedRequest)
    }

    fn retries_turn(&self, right: bool, refused: bool) -> bool {
        match right {
            true => !self.triggers(Bug::RetriesNever),
            false => refused && self.triggers(Bug::RetriesRefusals),
        }
    }

    fn on_retry(&self, conversation: &mut Conversation, after_compaction: bool) {
        if !after_compaction && self.triggers(Bug::RetryDoublesPrompt) {
            conversation.repeat_prompt();
        }
        if self.triggers(Bug::RetryStartsOver) {
            conversation.truncate_after_prompt();
        }
    }
}

fn user(text: String) -> Message {
    Message {
        role: Role::User,
        content: vec![ContentBlock::Text(text)],
    }
}
