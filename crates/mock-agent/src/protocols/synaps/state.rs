//! The state of one session: what the encoder and the command handlers share.

use crate::model::Usage;
use serde_json::Value;
use std::collections::VecDeque;

/// The command that takes time without a turn.
pub(super) const COMPACT: &str = "compact";

/// The adapter's state. Its encoder is in `events.rs`.
#[derive(Debug, Default)]
pub(super) struct SynapsState {
    pub(super) ready: bool,
    /// The active model, as `PROVIDER/MODEL`.
    pub(super) model: String,
    pub(super) session: String,
    pub(super) sessions: u64,
    pub(super) spent: Usage,
    /// The command whose turn is running.
    pub(super) active: Option<ActiveCommand>,
    /// Commands that came while another ran. Only a variant queues them.
    pub(super) queued: VecDeque<ActiveCommand>,
    /// Answers that wait for the end of the turn. Only a variant delays them.
    pub(super) delayed: Vec<Value>,
    /// The ids of `abort` commands that wait for the end of the turn.
    pub(super) pending_aborts: Vec<String>,
    pub(super) calls: Vec<StreamingCall>,
    /// A turn was aborted. Only a fault uses it.
    pub(super) aborted: bool,
    /// The last message of the user. Only a fault uses it.
    pub(super) message: String,
    /// How many lines were not commands. Only a fault uses it.
    pub(super) bad_lines: usize,
}

#[derive(Debug)]
pub(super) struct ActiveCommand {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) model: String,
    /// The model has sent something.
    pub(super) answered: bool,
    pub(super) failure: Option<String>,
    /// Its response was sent before its turn. Only a variant does that.
    pub(super) is_responded: bool,
    /// Its turn has no `agent_end` if it fails. Only a variant leaves that out.
    pub(super) failure_has_no_end: bool,
}

#[derive(Debug)]
pub(super) struct StreamingCall {
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) input: String,
}

impl SynapsState {
    /// Starts a session with its id on disk, or with a new one.
    pub(super) fn begin_session(&mut self, id: Option<&str>) {
        self.sessions += 1;
        self.session = id.map_or_else(|| format!("session-{}", self.sessions), str::to_owned);
        self.spent = Usage::default();
    }

    pub(super) fn call(&mut self, index: usize) -> Option<&mut StreamingCall> {
        self.calls.iter_mut().find(|call| call.index == index)
    }
}
