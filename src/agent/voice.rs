//! The core's events, said in the dialect's words.

use super::event::{Event, Failure};
use super::front::Emitter;
use super::outbox::Outbox;
use std::cell::RefCell;

/// Says events.
pub(super) struct Voice {
    emitter: RefCell<Box<dyn Emitter>>,
    pub(super) outbox: Outbox,
}

impl Voice {
    pub(super) fn new(emitter: Box<dyn Emitter>, outbox: Outbox) -> Self {
        Voice {
            emitter: RefCell::new(emitter),
            outbox,
        }
    }

    pub(super) fn say(&self, event: &Event<'_>) {
        for frame in self.emitter.borrow_mut().frames(event) {
            self.outbox.send(frame);
        }
    }

    /// Says a failure that belongs to no turn.
    pub(super) fn fail(&self, failure: &Failure) {
        self.say(&Event::Failed {
            turn: None,
            failure,
        });
    }
}
