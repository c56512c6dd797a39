//! What a script demands of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{OneOrMany, Texts};

/// What a request must be like. Everything said must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Texts that stand somewhere in the conversation or the system prompt, each within one string.
    #[serde(skip_serializing_if = "is_empty")]
    pub contains: Texts,
    /// Texts that stand nowhere in the conversation or the system prompt.
    #[serde(skip_serializing_if = "is_empty")]
    pub not_contains: Texts,
    /// Texts that stand in what was said since the model spoke last.
    #[serde(skip_serializing_if = "is_empty")]
    pub last_contains: Texts,
    /// Tool results that the conversation holds.
    #[serde(skip_serializing_if = "no_results")]
    pub tool_result: OneOrMany<ExpectedToolResult>,
    /// What the raw body must be like: scalars equal, objects a subset, lists element by element, and the `$op` forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// A tool's result as the model gets it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectedToolResult {
    /// The id of the call it answers; any if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Whether it is marked as an error. Not asked on wires that have no such mark (OpenAI).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Texts that its content holds.
    #[serde(skip_serializing_if = "is_empty")]
    pub contains: Texts,
    /// Texts that its content does not hold.
    #[serde(skip_serializing_if = "is_empty")]
    pub not_contains: Texts,
}

fn is_empty(texts: &Texts) -> bool {
    texts.0.is_empty()
}

fn no_results(results: &OneOrMany<ExpectedToolResult>) -> bool {
    results.0.is_empty()
}
