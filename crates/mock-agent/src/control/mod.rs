//! What a test can see and control while the agent runs: gates, and a journal of what was sent and received.

mod gates;
mod journal;

pub(crate) use gates::Gates;
pub(crate) use journal::{Journal, MAX_BYTES, Recorded};
