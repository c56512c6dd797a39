//! The languages in which models are asked.

use super::decode::Decode;
use super::request::Request;
use super::{anthropic, openai, responses};
use mock_provider::Wire;
use serde_json::Value;

/// A language that the agent speaks with its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenAi,
    /// OpenAI Responses.
    Responses,
}

impl Language {
    /// How the scripted model calls it.
    pub(super) fn wire(self) -> Wire {
        match self {
            Language::Anthropic => Wire::AnthropicMessages,
            Language::OpenAi => Wire::OpenAiChat,
            Language::Responses => Wire::OpenAiResponses,
        }
    }

    /// Its name among the APIs of models.
    pub(crate) fn api(self) -> &'static str {
        match self {
            Language::Anthropic => "anthropic-messages",
            Language::OpenAi => "openai-completions",
            Language::Responses => "openai-responses",
        }
    }

    /// The body of a request.
    pub(super) fn body(self, request: &Request<'_>) -> Value {
        match self {
            Language::Anthropic => anthropic::body(request),
            Language::OpenAi => openai::body(request),
            Language::Responses => responses::body(request),
        }
    }

    /// The headers that only this language has.
    pub(super) fn headers(self, key: &str) -> Vec<(&'static str, String)> {
        match self {
            Language::Anthropic => vec![
                ("x-api-key", key.to_owned()),
                ("anthropic-version", "2023-06-01".to_owned()),
            ],
            Language::OpenAi | Language::Responses => {
                vec![("authorization", format!("Bearer {key}"))]
            }
        }
    }

    pub(super) fn decoder(self) -> Box<dyn Decode> {
        match self {
            Language::Anthropic => Box::new(anthropic::Decoder::default()),
            Language::OpenAi => Box::new(openai::Decoder::default()),
            Language::Responses => Box::new(responses::Decoder::default()),
        }
    }
}
