//! The key `replies` of `dialect.yaml`: where the replies of the model show in the events of an agent.

use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::Spanned;

/// The parts of a reply, as written: each an event and a JSON Pointer into it, such as `text_delta /text`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RepliesFile {
    /// A chunk of text.
    pub text: Option<Spanned<String>>,
    /// A chunk of thinking.
    pub thinking: Option<Spanned<String>>,
    /// The events that begin a block of text or thinking.
    pub blocks: Vec<Spanned<String>>,
    /// A tool call.
    pub call: CallFile,
    /// The tokens that the replies since the last such event have used.
    pub usage: Option<UsageFile>,
    /// The events after which the next part belongs to a new reply.
    pub ends: Vec<Spanned<String>>,
}

/// The parts of a tool call. The arguments complete it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CallFile {
    /// Its id.
    pub id: Option<Spanned<String>>,
    /// The tool's name.
    pub name: Option<Spanned<String>>,
    /// A fragment of the arguments, where they are streamed.
    pub fragment: Option<Spanned<String>>,
    /// The arguments.
    pub args: Option<Spanned<String>>,
}

/// The token usage: where it is, and the names of its members.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageFile {
    /// The event and the pointer to the object.
    pub at: Spanned<String>,
    /// Input tokens that came from no cache.
    pub input: String,
    /// Output tokens.
    pub output: String,
    /// Input tokens read from the cache.
    #[serde(default)]
    pub cache_read: Option<String>,
    /// Input tokens written to the cache.
    #[serde(default)]
    pub cache_write: Option<String>,
}
