//! The event sink: encodes the core's events as frames of the protocol and sends them to the outbox.

use super::{Event, Failure};
use crate::os::stdout::Outbox;
use serde_json::Value;
use std::rc::Rc;

/// Encodes events as the frames of one protocol.
pub(crate) trait EventEncoder {
    fn encode(&self, event: &Event<'_>) -> Vec<Value>;
}

/// Sends events to the host.
#[derive(Clone)]
pub(crate) struct EventSink {
    encoder: Rc<dyn EventEncoder>,
    pub(crate) outbox: Rc<Outbox>,
}

impl EventSink {
    pub(crate) fn new(encoder: Rc<dyn EventEncoder>, outbox: Rc<Outbox>) -> Self {
        EventSink { encoder, outbox }
    }

    /// Encodes an event and sends its frames.
    pub(crate) fn emit(&self, event: &Event<'_>) {
        for frame in self.encoder.encode(event) {
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
