//! What the host says while a turn is at work, and when the model gets it.

use crate::model::message::ContentBlock;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// What starts a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Prompt {
    /// The turn's id.
    pub(crate) turn: String,
    /// What the user says.
    pub(crate) text: String,
    /// Paths of attached files.
    pub(crate) files: Vec<String>,
    /// What else goes with it, behind the text.
    pub(crate) blocks: Vec<ContentBlock>,
    /// What the host attached, as it was given.
    pub(crate) attachments: Vec<Value>,
    /// Nothing new is said: the model is asked again where it failed.
    pub(crate) resumes: bool,
}

/// What waits for the turn at work.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    pub(crate) steering: Queue,
    pub(crate) following: Queue,
}

/// Prompts that wait, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: RefCell<VecDeque<Prompt>>,
    /// Whether all go together, and not one after the other.
    pub(crate) together: Cell<bool>,
}

impl Queues {
    /// What the model gets now. What follows waits until the model wants no more tools and nothing steers.
    pub(crate) fn due(&self, done: bool) -> Vec<Prompt> {
        let steering = self.steering.take();
        if steering.is_empty() && done {
            return self.following.take();
        }
        steering
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.steering.len() + self.following.len()
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.steering.waiting.borrow_mut().clear();
        self.following.waiting.borrow_mut().clear();
    }
}

impl Queue {
    pub(crate) fn push(&self, prompt: Prompt) {
        self.waiting.borrow_mut().push_back(prompt);
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        let waiting = self.waiting.borrow();
        waiting.iter().map(|prompt| prompt.text.clone()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.borrow().len()
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.len() > 0
    }

    pub(crate) fn take(&self) -> Vec<Prompt> {
        let mut waiting = self.waiting.borrow_mut();
        let count = if self.together.get() {
            waiting.len()
        } else {
            1
        };
        let count = count.min(waiting.len());
        waiting.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(steering: &[&str], following: &[&str]) -> Queues {
        let queues = Queues::default();
        let prompt = |text: &&str| Prompt {
            text: (*text).to_owned(),
            ..Prompt::default()
        };
        steering
            .iter()
            .map(prompt)
            .for_each(|p| queues.steering.push(p));
        following
            .iter()
            .map(prompt)
            .for_each(|p| queues.following.push(p));
        queues
    }

    fn due(queues: &Queues, done: bool) -> Vec<String> {
        queues.due(done).into_iter().map(|p| p.text).collect()
    }

    #[test]
    fn what_steers_goes_first_and_what_follows_only_at_the_end() {
        let queues = queues(&["a"], &["z"]);

        assert_eq!(due(&queues, true), ["a"]);
        assert!(due(&queues, false).is_empty());
        assert_eq!(due(&queues, true), ["z"]);
        assert_eq!(queues.len(), 0);
    }

    #[test]
    fn they_go_one_by_one_or_together() {
        let one_by_one = queues(&["a", "b"], &[]);
        assert_eq!(due(&one_by_one, false), ["a"]);

        let together = queues(&["a", "b"], &[]);
        together.steering.together.set(true);
        assert_eq!(due(&together, false), ["a", "b"]);
    }
}
