//! What is told of each prompt before the agent acts on it.

/// Listens to the prompts of the user.
pub(crate) trait PromptListener {
    /// A prompt begins a turn, or follows in it when the turn would have ended.
    fn on_prompt(&self, text: &str);

    /// A prompt is added to a turn that goes on.
    fn on_steering(&self, text: &str);
}
