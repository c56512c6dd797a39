//! The core's events, said in the dialect's words.

use super::event::{Event, Failure};
use crate::os::stdout::Outbox;
use serde_json::Value;
use std::any::Any;
use std::cell::RefCell;

/// Turns events into frames of one protocol.
pub(super) trait Emitter: Any {
    fn frames(&mut self, event: &Event<'_>) -> Vec<Value>;
}

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

    /// Sends a frame of the adapter's own.
    pub(super) fn send(&self, frame: Value) {
        self.outbox.send(frame);
    }

    /// Lets an adapter's commands look at what its emitter knows.
    pub(super) fn emitter<E: Emitter, T>(&self, look: impl FnOnce(&mut E) -> T) -> Option<T> {
        let mut emitter = self.emitter.borrow_mut();
        let any: &mut dyn Any = &mut **emitter;
        any.downcast_mut().map(look)
    }

    /// Says a failure that belongs to no turn.
    pub(super) fn fail(&self, failure: &Failure) {
        self.say(&Event::Failed {
            turn: None,
            failure,
        });
    }
}
