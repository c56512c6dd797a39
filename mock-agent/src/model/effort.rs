//! How much a model is to think, in each language.

use super::Language;
use serde_json::{Value, json};

/// How much a model that can think is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Not at all.
    None,
    /// So much: what OpenAI calls it, and the tokens for it that Anthropic is told.
    Some {
        /// Its name.
        name: &'static str,
        /// Tokens.
        budget: u64,
    },
}

const LEVELS: [Effort; 4] = [
    level("minimal", 1024),
    level("low", 2048),
    level("medium", 8192),
    level("high", 16_384),
];

/// What is kept for the reply itself, in tokens.
const REPLY: u64 = 1024;

/// The least budget that Anthropic takes.
const LEAST: u64 = 1024;

const fn level(name: &'static str, budget: u64) -> Effort {
    Effort::Some { name, budget }
}

impl Effort {
    /// The effort of this name; `off` for none, and the highest for names beyond it.
    pub(crate) fn named(level: &str) -> Self {
        if level == "off" {
            return Effort::None;
        }
        let mut levels = LEVELS.into_iter();
        let named =
            levels.find(|known| matches!(known, Effort::Some { name, .. } if *name == level));
        named.unwrap_or(LEVELS[LEVELS.len() - 1])
    }

    /// Says it in the body of a request.
    pub(super) fn tell(self, language: Language, body: &mut Value) {
        match (language, self) {
            (Language::Anthropic, Effort::None) => body["thinking"] = json!({ "type": "disabled" }),
            (Language::Anthropic, Effort::Some { budget, .. }) => {
                let room = body["max_tokens"].as_u64().unwrap_or_default();
                let budget = budget.min(room.saturating_sub(REPLY));
                if budget >= LEAST {
                    body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
                }
            }
            (Language::OpenAi | Language::Responses, Effort::None) => {}
            (Language::OpenAi, Effort::Some { name, .. }) => body["reasoning_effort"] = json!(name),
            (Language::Responses, Effort::Some { name, .. }) => {
                body["reasoning"] = json!({ "effort": name, "summary": "auto" });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(level: &str, language: Language) -> Value {
        let mut body = json!({ "max_tokens": 8192 });
        Effort::named(level).tell(language, &mut body);
        body
    }

    #[test]
    fn anthropic_is_told_a_budget_that_leaves_room_for_the_reply() {
        let budget = |level| told(level, Language::Anthropic)["thinking"]["budget_tokens"].clone();

        assert_eq!(budget("low"), 2048);
        assert_eq!(budget("high"), 7168);
        assert_eq!(
            told("off", Language::Anthropic)["thinking"],
            json!({ "type": "disabled" })
        );
    }

    #[test]
    fn openai_is_told_the_name() {
        assert_eq!(told("low", Language::OpenAi)["reasoning_effort"], "low");
        assert_eq!(told("xhigh", Language::OpenAi)["reasoning_effort"], "high");
        assert_eq!(
            told("low", Language::Responses)["reasoning"]["effort"],
            "low"
        );
        assert_eq!(told("off", Language::OpenAi), json!({ "max_tokens": 8192 }));
    }
}
