//! The state of one session as the host sees it: what the encoder and the command handlers of 0.73 and later share.

use super::entries::EntryTree;
use super::extension_script::{ExtensionScript, PendingDialog};
use super::messages::CountingClock;
use super::session_log::{LogEntry, SavedSession, SessionLog};
use super::stream::StreamingReply;
use super::version::PiVersion;
use crate::core::event::CompactionReason;
use crate::core::session::Session;
use crate::core::settings::ModelInfo;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio::sync::Notify;

/// The adapter's state. Its encoder is in `events.rs`.
#[derive(Debug, Default)]
pub(super) struct PiState {
    pub(super) version: PiVersion,
    pub(super) model_info: ModelInfo,
    pub(super) clock: CountingClock,
    pub(super) run: RunState,
    pub(super) log: SessionLog,
    /// The entries of the session; stays empty in versions without entries.
    pub(super) tree: EntryTree,
    /// The sessions that the host left, by their files.
    pub(super) saved: HashMap<PathBuf, SavedSession>,
    pub(super) thinking_level: String,
    pub(super) compacting: Option<CompactionReason>,
    /// The ids of the `compact` commands that are not answered yet.
    pub(super) pending_compacts: Vec<Option<Value>>,
    /// The ids of the `abort` commands that are not answered yet.
    pub(super) pending_aborts: Vec<Option<Value>>,
    /// Stops each running shell command.
    pub(super) shell_stops: Vec<Rc<Notify>>,
    pub(super) dialogs: HashMap<String, PendingDialog>,
    pub(super) script: ExtensionScript,
    /// The first command has come.
    pub(super) begun: bool,
    /// The session's `system` message was sent.
    pub(super) has_sent_system_message: bool,
    /// A run has begun and not settled.
    pub(super) unsettled: bool,
    /// How many ids were given so far.
    ids: u64,
}

/// The current run.
#[derive(Debug, Default)]
pub(super) struct RunState {
    pub(super) active: bool,
    pub(super) messages: Vec<Value>,
    /// The reply that is streaming.
    pub(super) reply: Option<StreamingReply>,
    /// The turn's complete reply.
    pub(super) answer: Option<Value>,
    /// The result messages of finished calls, in the order in which they finished.
    pub(super) results: Vec<Value>,
    /// The ids of the calls whose start was sent.
    pub(super) started_calls: Vec<String>,
    /// Messages from the queue that open the next turn.
    pub(super) dequeued: Vec<Value>,
}

impl PiState {
    pub(super) fn new(version: PiVersion) -> Self {
        PiState {
            version,
            ..PiState::default()
        }
    }

    /// Gives a command access to the state. None if another version is spoken.
    pub(super) fn with<T>(session: &Session, look: impl FnOnce(&mut PiState) -> T) -> Option<T> {
        session.events.encoder(look)
    }

    /// An id that was not given before.
    pub(super) fn next_id(&mut self) -> String {
        self.ids += 1;
        format!("{:08x}", self.ids)
    }

    /// Appends a message to the session.
    pub(super) fn append_message(&mut self, message: Value) {
        let id = self.next_id();
        self.append_entry("message", &id, json!({ "message": message }));
        self.log.entries.push(LogEntry { id, message });
    }

    /// Appends an entry to the tree. None in versions without entries.
    pub(super) fn append_entry(&mut self, kind: &str, id: &str, more: Value) -> Option<&Value> {
        self.version
            .has_entries()
            .then(|| self.tree.append(kind, id, more))
    }

    /// Starts a session with an id of its own, in a file where sessions are kept.
    pub(super) fn open_session(&mut self, folder: Option<&Path>) {
        let (id, file) = loop {
            let id = format!("session-{}", self.next_id());
            let file = folder.map(|folder| folder.join(format!("{id}.jsonl")));
            if !file.as_deref().is_some_and(Path::exists) {
                break (id, file);
            }
        };
        self.log = SessionLog {
            file,
            id,
            ..SessionLog::default()
        };
    }

    /// Continues a saved session.
    pub(super) fn resume_session(&mut self, log: SessionLog) {
        self.tree = EntryTree::default();
        self.has_sent_system_message = !log.entries.is_empty();
        for LogEntry { id, message } in &log.entries {
            self.append_entry("message", id, json!({ "message": message }));
        }
        self.log = log;
    }

    /// Writes the session to its file, if it has one.
    pub(super) fn save_session(&self) {
        if let Some(path) = &self.log.file
            && let Err(error) = self.log.write(path)
        {
            tracing::warn!(
                "{}: the session could not be saved: {error}",
                path.display()
            );
        }
    }
}
