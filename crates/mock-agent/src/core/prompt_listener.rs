//! What is told of each prompt before the agent acts on it.

use serde_json::Value;

/// Listens to the prompts of the user.
pub(crate) trait PromptListener {
    /// A prompt begins a turn, or follows in it when the turn would have ended.
    fn on_prompt(&self, text: &str);

    /// A prompt is added to a turn that goes on.
    fn on_steering(&self, text: &str);

    /// What extensions of the agent do in the run of this prompt, in the words of the protocol; `None` if it asks for nothing.
    fn extension(&self, prompt: &str) -> Option<Value>;
}
