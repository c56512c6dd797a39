//! The event sink: encodes the core's events as frames of the protocol and sends them to the outbox.

use super::{Event, Failure};
use crate::os::stdout::Outbox;
use serde_json::Value;
use std::rc::Rc;

/// Encodes an event as the frames of the protocol.
type Encoder = dyn Fn(&Event<'_>) -> Vec<Value>;

/// Sends events to the host.
#[derive(Clone)]
pub(crate) struct EventSink {
    pub(crate) encode: Rc<Encoder>,
    pub(crate) outbox: Rc<Outbox>,
}

impl EventSink {
    /// Encodes an event and sends its frames.
    pub(crate) fn emit(&self, event: &Event<'_>) {
        for frame in (self.encode)(event) {
            self.outbox.send(frame);
        }
    }

    /// Emits a failure that belongs to no turn.
    pub(crate) fn emit_failure(&self, failure: &Failure) {
        self.emit(&Event::Failed {
            turn: None,
            failure,
        });
    }
}
