//! Model providers: their wire, and the environment variables with their base URL and credentials.

use super::{Env, StartError};
use crate::model::Wire;

/// A provider of models.
pub(crate) struct KnownProvider {
    pub(crate) name: &'static str,
    pub(crate) wire: Wire,
    /// The variable with the base URL of its API.
    pub(crate) base_url: Option<&'static str>,
    /// The variable with the API key.
    pub(crate) key: Option<&'static str>,
    /// The required variables: one of each inner list. A name with `+` is several variables, all of them required.
    needs: &'static [&'static [&'static str]],
}

const KNOWN_PROVIDERS: &[KnownProvider] = &[
    KnownProvider {
        name: "anthropic",
        wire: Wire::AnthropicMessages,
        base_url: Some("ANTHROPIC_BASE_URL"),
        key: Some("ANTHROPIC_API_KEY"),
        needs: &[&["ANTHROPIC_API_KEY"]],
    },
    KnownProvider {
        name: "openai",
        wire: Wire::OpenAiChat,
        base_url: Some("OPENAI_BASE_URL"),
        key: Some("OPENAI_API_KEY"),
        needs: &[&["OPENAI_API_KEY"]],
    },
    KnownProvider {
        name: "bedrock",
        wire: Wire::AnthropicMessages,
        base_url: None,
        key: None,
        needs: &[
            &["AWS_REGION"],
            &["AWS_ACCESS_KEY_ID+AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"],
        ],
    },
    KnownProvider {
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

impl KnownProvider {
    /// The provider of this name.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(name: &str) -> Result<&'static KnownProvider, StartError> {
        KNOWN_PROVIDERS
            .iter()
            .find(|provider| provider.name == name)
            .ok_or_else(|| StartError::UnknownProvider {
                name: name.to_owned(),
            })
    }

    /// Checks that the required variables are set.
    ///
    /// # Errors
    /// The first of them that is missing.
    pub(crate) fn check(&self, env: Env<'_>) -> Result<(), StartError> {
        let set = |names: &&str| names.split('+').all(|name| env(name).is_some());
        match self.needs.iter().find(|one_of| !one_of.iter().any(set)) {
            None => Ok(()),
            Some(one_of) => {
                let names: Vec<_> = one_of.iter().map(|n| n.replace('+', " and ")).collect();
                let variables = names.join(", or ");
                Err(StartError::MissingVariables { variables })
            }
        }
    }
}
