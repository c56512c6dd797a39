//! Providers of models, and what they need to be told.

use super::options::Env;
use crate::model::Wire;

/// A provider: the wire of its models, where it is served, and the variables without which it cannot be asked.
pub(crate) struct Provider {
    pub(crate) name: &'static str,
    pub(crate) wire: Wire,
    /// The variable that says where it is served.
    pub(crate) base_url: Option<&'static str>,
    /// The variable that holds the key.
    pub(crate) key: Option<&'static str>,
    /// Of each inner list one is enough; a name with `+` stands for several that go together.
    needs: &'static [&'static [&'static str]],
}

const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        wire: Wire::AnthropicMessages,
        base_url: Some("ANTHROPIC_BASE_URL"),
        key: Some("ANTHROPIC_API_KEY"),
        needs: &[&["ANTHROPIC_API_KEY"]],
    },
    Provider {
        name: "openai",
        wire: Wire::OpenAiChat,
        base_url: Some("OPENAI_BASE_URL"),
        key: Some("OPENAI_API_KEY"),
        needs: &[&["OPENAI_API_KEY"]],
    },
    Provider {
        name: "bedrock",
        wire: Wire::AnthropicMessages,
        base_url: None,
        key: None,
        needs: &[
            &["AWS_REGION"],
            &["AWS_ACCESS_KEY_ID+AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"],
        ],
    },
    Provider {
        name: "vertex",
        wire: Wire::AnthropicMessages,
        base_url: None,
        key: None,
        needs: &[
            &["GOOGLE_APPLICATION_CREDENTIALS"],
            &["VERTEX_PROJECT_ID"],
            &["VERTEX_REGION"],
        ],
    },
];

impl Provider {
    pub(crate) fn find(name: &str) -> Result<&'static Provider, String> {
        PROVIDERS
            .iter()
            .find(|provider| provider.name == name)
            .ok_or_else(|| format!("Unknown provider: {name}"))
    }

    /// # Errors
    /// The first of its variables that is missing.
    pub(crate) fn check(&self, env: Env<'_>) -> Result<(), String> {
        let set = |names: &&str| names.split('+').all(|name| env(name).is_some());
        match self.needs.iter().find(|one_of| !one_of.iter().any(set)) {
            None => Ok(()),
            Some(one_of) => {
                let names: Vec<_> = one_of.iter().map(|n| n.replace('+', " and ")).collect();
                Err(format!("{} not set", names.join(", or ")))
            }
        }
    }
}
