//! Faults as they are played.

use crate::edit::Edits;
use crate::file::{ActiveFrom, ShownAt};
use crate::operation::Operation;
use crate::selector::FrameSelector;
use frame_language::Pointer;
use indexmap::IndexMap;
use serde_json::Value;
use std::time::Duration;

/// A deliberate fault of an agent.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// What must catch it: ids of rules without their dialect (`turn-envelope`), or scenarios one of whose steps must fail
    /// (`scenario:stop/while-streaming`); each of them is enough. Empty for what is legal on the wire and only there to test hosts.
    pub caught_by: Vec<String>,
    /// What makes it a legal variant; `None` for a defect.
    pub legal: Option<Legal>,
    /// On which line of the output it can be caught.
    pub shown_at: ShownAt,
    /// When it starts, unless the user names a turn.
    pub active_from: ActiveFrom,
    /// What it changes.
    pub effect: Effect,
}

/// A legal variant: what an agent may do differently.
#[derive(Debug, Clone, Default)]
pub struct Legal {
    /// The accepted interpretation that allows it; `None` for a freedom of the specification itself.
    pub accepts: Option<String>,
    /// What is found all the same, a rule or `scenario:ID`, and why.
    pub listed: IndexMap<String, String>,
}

/// What a fault changes.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Frames that the agent sends. The first part that fits a frame is played on it.
    Events(Vec<EventFault>),
    /// Commands, before the agent gets them.
    Commands(EventFault),
    /// What only the reference agent can change: its `#options`, as a map, before it reads them, or the body of an `@request` to the model.
    Internal(&'static str, FrameSelector, Edits),
    /// The reference agent behaves otherwise: the name of a behavior in its code.
    Behavior(String),
}

/// A fault of the frames that one side sends.
#[derive(Debug, Clone)]
pub struct EventFault {
    /// The frames.
    pub on: FrameSelector,
    /// Whether every such frame is changed, or only the first.
    pub every: bool,
    /// What happens to them.
    pub operation: Operation,
    /// Where they have a text, for operations that put bytes into it.
    pub text: Option<Pointer>,
    /// The time before the other frames of the operation.
    pub wait: Duration,
}

impl Fault {
    /// Whether it is played on this frame that the agent sends.
    #[must_use]
    pub fn is_played_on(&self, kind: &str, frame: &Value) -> bool {
        match &self.effect {
            Effect::Events(parts) => parts.iter().any(|part| part.on.matches(kind, frame)),
            _ => false,
        }
    }

    /// The order of several faults on one frame: a fault that changes the bytes of a line is played after those that read the frame.
    #[must_use]
    pub fn order(&self) -> u8 {
        let Effect::Events(parts) = &self.effect else {
            return 0;
        };
        let orders = parts.iter().map(|part| part.operation.order());
        orders.max().unwrap_or_default()
    }

    /// Whether it can be played on the frames of an agent from outside: it is not a behavior of the reference agent.
    #[must_use]
    pub fn is_playable_outside(&self) -> bool {
        matches!(self.effect, Effect::Events(_) | Effect::Commands(_))
    }
}
