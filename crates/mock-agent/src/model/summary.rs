//! The request for a summary of the conversation, and the answer of a model that has no script for it.

use mock_provider::Request;
use serde_json::Value;

/// The prompt for the summary.
pub(crate) const SUMMARY_PROMPT: &str = "Summarize this conversation so that it can go on from the summary alone: what is wanted, \
what was done, what was found out, and what is left to do. Answer with the summary and nothing else.";

/// The summary of a model without a script.
pub(super) const SUMMARY: &str =
    "The user has asked, the agent has answered, and nothing is left to do.";

/// Whether the last message of a request asks for a summary.
pub(super) fn is_asked_for(request: &Request) -> bool {
    let messages = request.body["messages"].as_array();
    let content = messages.and_then(|messages| Some(&messages.last()?["content"]));
    let is_prompt = |text: &Value| {
        text.as_str()
            .is_some_and(|text| text.starts_with(SUMMARY_PROMPT))
    };
    content.is_some_and(|content| {
        let mut blocks = content.as_array().into_iter().flatten();
        is_prompt(content) || blocks.any(|block| is_prompt(&block["text"]))
    })
}
