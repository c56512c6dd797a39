//! Prompts that the host sends while a turn is running, and when the model gets them.

use crate::faults::{Bug, Faults};
use crate::model::ContentBlock;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A prompt of the user. It starts a turn, or is queued for the turn that is running.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Prompt {
    /// The turn's id.
    pub(crate) turn: String,
    /// The user's text.
    pub(crate) text: String,
    /// Paths of attached files.
    pub(crate) files: Vec<String>,
    /// More content after the text.
    pub(crate) blocks: Vec<ContentBlock>,
    /// Whether `blocks` is the whole content, also its text.
    pub(crate) is_in_blocks: bool,
    /// Attachments as the host has given them.
    pub(crate) attachments: Vec<Value>,
    /// Whether it was queued for the end of the turn.
    pub(crate) is_follow_up: bool,
    /// Whether the turn continues a failed one, without new text.
    pub(crate) resumes: bool,
}

/// The queues of a session.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// Prompts for the next request of the turn.
    pub(crate) steering: Queue,
    /// Prompts for the end of the turn.
    pub(crate) follow_up: Queue,
}

/// Prompts that wait, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: RefCell<VecDeque<Prompt>>,
    /// Whether the model gets all of them together, not one per request.
    pub(crate) together: Cell<bool>,
}

impl Queues {
    /// The queue whose prompts come first.
    pub(crate) fn next(&self) -> &Queue {
        if self.steering.has_prompts() {
            &self.steering
        } else {
            &self.follow_up
        }
    }

    /// Takes the prompts that the model gets now. Follow-ups wait until the model requests no more tools (`done`) and no steering is queued.
    pub(crate) fn due(&self, done: bool, faults: &Faults) -> Vec<Prompt> {
        let (steers, follows) = (self.steering.has_prompts(), self.follow_up.has_prompts());
        if steers && !done && faults.triggers(Bug::SteeringWaits) {
            return vec![];
        }
        if follows && (steers || !done) && faults.triggers(Bug::FollowUpsEarly)
            || follows && !steers && !done && faults.triggers(Bug::FollowUpsAfterTools)
        {
            return self.follow_up.take();
        }
        if !steers && !done {
            return vec![];
        }
        let (queue, bug) = if steers {
            (&self.steering, Bug::SteeringTogether)
        } else {
            (&self.follow_up, Bug::FollowUpsTogether)
        };
        if queue.len() > 1 && !queue.together.get() && faults.triggers(bug) {
            queue.waiting.take().into()
        } else {
            queue.take()
        }
    }

    /// The number of queued prompts.
    pub(crate) fn len(&self) -> usize {
        self.steering.len() + self.follow_up.len()
    }

    /// Removes all queued prompts.
    pub(crate) fn clear(&self) {
        self.steering.waiting.borrow_mut().clear();
        self.follow_up.waiting.borrow_mut().clear();
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

    pub(crate) fn has_prompts(&self) -> bool {
        self.len() > 0
    }

    pub(crate) fn take(&self) -> Vec<Prompt> {
        let mut waiting = self.waiting.borrow_mut();
        let most = if self.together.get() { usize::MAX } else { 1 };
        let count = waiting.len().min(most);
        waiting.drain(..count).collect()
    }
}
