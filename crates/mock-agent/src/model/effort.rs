//! Reasoning effort: how much a model thinks, as each wire writes it.

use mock_provider::Wire;
use serde_json::{Value, json};

/// How much a model with reasoning thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Not at all.
    None,
    /// A level, by the name that OpenAI gives it and the token budget that Anthropic takes.
    Some { name: &'static str, budget: u64 },
}

const LEVELS: [Effort; 4] = [
    level("minimal", 1024),
    level("low", 2048),
    level("medium", 8192),
    level("high", 16_384),
];

/// Tokens that are reserved for the reply itself.
const REPLY_TOKENS: u64 = 1024;

/// The smallest budget that Anthropic accepts, in tokens.
const MIN_BUDGET: u64 = 1024;

const fn level(name: &'static str, budget: u64) -> Effort {
    Effort::Some { name, budget }
}

impl Effort {
    /// The effort of a level: `off` is none, and unknown names are the highest.
    pub(crate) fn named(level: &str) -> Self {
        if level == "off" {
            return Effort::None;
        }
        let mut levels = LEVELS.into_iter();
        let named =
            levels.find(|known| matches!(known, Effort::Some { name, .. } if *name == level));
        named.unwrap_or(LEVELS[LEVELS.len() - 1])
    }

    /// Writes it into the body of a request.
    pub(super) fn apply(self, wire: Wire, body: &mut Value) {
        match (wire, self) {
            (Wire::AnthropicMessages, Effort::None) => {
                body["thinking"] = json!({ "type": "disabled" })
            }
            (Wire::AnthropicMessages, Effort::Some { budget, .. }) => {
                let max_tokens = body["max_tokens"].as_u64().unwrap_or_default();
                let budget = budget.min(max_tokens.saturating_sub(REPLY_TOKENS));
                if budget >= MIN_BUDGET {
                    body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
                }
            }
            (Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini, Effort::None) => {}
            (Wire::OpenAiChat, Effort::Some { name, .. }) => body["reasoning_effort"] = json!(name),
            (Wire::OpenAiResponses, Effort::Some { name, .. }) => {
                body["reasoning"] = json!({ "effort": name, "summary": "auto" });
            }
            (Wire::Gemini, Effort::Some { budget, .. }) => {
                body["generationConfig"]["thinkingConfig"] =
                    json!({ "includeThoughts": true, "thinkingBudget": budget });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wire_has_its_words_and_the_anthropic_budget_leaves_room_for_the_reply() {
        let (anthropic, chat) = (Wire::AnthropicMessages, Wire::OpenAiChat);
        for (level, wire, pointer, expected) in [
            ("low", anthropic, "/thinking/budget_tokens", json!(2048)),
            ("high", anthropic, "/thinking/budget_tokens", json!(7168)),
            ("off", anthropic, "/thinking", json!({ "type": "disabled" })),
            ("low", chat, "/reasoning_effort", json!("low")),
            ("xhigh", chat, "/reasoning_effort", json!("high")),
            ("off", chat, "", json!({ "max_tokens": 8192 })),
            (
                "low",
                Wire::OpenAiResponses,
                "/reasoning/effort",
                json!("low"),
            ),
            (
                "low",
                Wire::Gemini,
                "/generationConfig/thinkingConfig/thinkingBudget",
                json!(2048),
            ),
        ] {
            let mut body = json!({ "max_tokens": 8192 });
            Effort::named(level).apply(wire, &mut body);
            assert_eq!(body.pointer(pointer), Some(&expected), "{level}");
        }
    }
}
