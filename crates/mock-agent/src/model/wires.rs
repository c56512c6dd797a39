//! Table of the LLM wires: for each API its name, request body and authentication headers.

use super::request::ModelRequest;
use super::{anthropic, gemini, openai_chat, openai_responses};
use mock_provider::Wire;
use serde_json::Value;

/// The name of the wire among the APIs of models.
pub(crate) fn api_name(wire: Wire) -> &'static str {
    match wire {
        Wire::AnthropicMessages => "anthropic-messages",
        Wire::OpenAiChat => "openai-completions",
        Wire::OpenAiResponses => "openai-responses",
        Wire::Gemini => "google-generative-ai",
    }
}

/// The JSON body of a request.
pub(super) fn request_body(wire: Wire, request: &ModelRequest<'_>) -> Value {
    match wire {
        Wire::AnthropicMessages => anthropic::request_body(request),
        Wire::OpenAiChat => openai_chat::request_body(request),
        Wire::OpenAiResponses => openai_responses::request_body(request),
        Wire::Gemini => gemini::request_body(request),
    }
}

/// The headers that only this wire needs.
pub(super) fn headers(wire: Wire, key: &str) -> Vec<(&'static str, String)> {
    match wire {
        Wire::AnthropicMessages => vec![
            ("x-api-key", key.to_owned()),
            ("anthropic-version", "2023-06-01".to_owned()),
        ],
        Wire::OpenAiChat | Wire::OpenAiResponses => {
            vec![("authorization", format!("Bearer {key}"))]
        }
        Wire::Gemini => vec![("x-goog-api-key", key.to_owned())],
    }
}
