//! Hooks: what becomes of prompts that arrive while a turn runs.

use crate::core::queues::{Prompt, Queues};

/// The decisions about queued prompts.
pub(crate) trait QueueHooks {
    /// Whether a prompt is lost because a turn is running.
    fn drops_prompt_while_busy(&self) -> bool {
        false
    }

    /// Whether a task that waits is started.
    fn starts_next_task(&self) -> bool {
        true
    }

    /// The queued prompts that the model gets now; `done` if it wants no more tools.
    fn due_prompts(&self, queues: &Queues, done: bool) -> Vec<Prompt> {
        queues.due(done)
    }

    /// Whether queued prompts survive the end of a turn.
    fn keeps_queues(&self) -> bool {
        true
    }
}
