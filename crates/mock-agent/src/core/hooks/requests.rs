//! Hooks: requests to the model, and what happens when they fail.

use crate::core::conversation::Conversation;
use crate::model::ModelRequest;
use crate::model::message::Message;

/// A request to the model that is no part of the conversation.
#[derive(Debug, Clone)]
pub(crate) struct ExtraRequest {
    /// The system prompt; the session's if left out.
    pub(crate) system: Option<&'static str>,
    pub(crate) messages: Vec<Message>,
    /// Whether the tools are offered.
    pub(crate) tools: bool,
}

/// The decisions about requests to the model.
pub(crate) trait RequestHooks {
    /// Changes a request to the model. Correct is to change nothing.
    fn model_request(&self, _request: &mut ModelRequest<'_>) {}

    /// A request before the first one of a turn.
    fn request_before_turn(&self, _prompt: &str) -> Option<ExtraRequest> {
        None
    }

    /// A request after the last one of a turn, which had these messages.
    fn request_after_turn(&self, _messages: &[Message]) -> Option<ExtraRequest> {
        None
    }

    /// Whether the turn's usage is the sum of its requests, not that of the latest.
    fn sums_usage(&self) -> bool {
        true
    }

    /// Whether the model is asked again right after an error that is not retryable.
    fn repeats_refused_request(&self) -> bool {
        false
    }

    /// Whether a failed turn is retried; `right` is the correct answer, `refused` is true if only the kind of the
    /// failure speaks against it.
    fn retries_turn(&self, right: bool, _refused: bool) -> bool {
        right
    }

    /// Changes the conversation before a turn is retried. Correct is to change nothing.
    fn on_retry(&self, _conversation: &mut Conversation, _after_compaction: bool) {}
}
