//! The languages that real agents speak to their models.

mod errors;

use crate::request::Wire;

impl Wire {
    /// The type and the message that go with an HTTP status where nobody says otherwise.
    pub(crate) fn usual_error(self, status: u16) -> (&'static str, &'static str) {
        let table: &[errors::Usual] = match self {
            Wire::AnthropicMessages => &errors::ANTHROPIC,
            Wire::OpenAiChat => &errors::OPENAI,
        };
        errors::usual(table, status)
    }

    /// The prefix of a tool call's id, and how many letters follow it.
    pub(crate) fn call_id(self) -> (&'static str, usize) {
        match self {
            Wire::AnthropicMessages => ("toolu_01", 22),
            Wire::OpenAiChat => ("call_", 24),
        }
    }
}
