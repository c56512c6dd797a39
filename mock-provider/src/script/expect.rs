//! Request expectations of a script: `expect_request` and `when`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{OneOrMany, Texts, one_or_many};

/// An expectation of a request. All its parts must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Texts that the conversation or the system prompt contains, each within one string.
    #[serde(skip_serializing_if = "is_empty")]
    pub contains: Texts,
    /// Texts that neither the conversation nor the system prompt contains.
    #[serde(skip_serializing_if = "is_empty")]
    pub not_contains: Texts,
    /// Texts that the new messages contain: those after the model's last message.
    #[serde(skip_serializing_if = "is_empty")]
    pub last_contains: Texts,
    /// Tool results that the conversation contains.
    #[serde(
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "OneOrMany<ExpectedToolResult>")]
    pub tool_result: Vec<ExpectedToolResult>,
    /// A matcher on the raw body: equal scalars, subset objects, lists element by element, and `$` operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// An expected tool result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectedToolResult {
    /// The id of its tool call; any if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Whether it is marked as an error. Ignored on wires without such a mark (OpenAI).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Texts that its content contains.
    #[serde(skip_serializing_if = "is_empty")]
    pub contains: Texts,
    /// Texts that its content does not contain.
    #[serde(skip_serializing_if = "is_empty")]
    pub not_contains: Texts,
}

fn is_empty(texts: &Texts) -> bool {
    texts.0.is_empty()
}
