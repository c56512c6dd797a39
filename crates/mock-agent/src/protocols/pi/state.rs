//! The state of one session as the host sees it: what events and commands share.

use super::messages::CountingClock;
use super::stream::StreamingReply;
use super::{EntryTree, ExtensionScript, LogEntry, PendingDialog, PiVersion, SessionLog};
use crate::core::{CompactionReason, ModelInfo};
use crate::protocols::session::Connection;
use crate::session_store::Reservation;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use tokio::sync::Notify;

/// The adapter's state. `events.rs` handles the events.
#[derive(Debug, Default)]
pub(super) struct PiState {
    pub(super) version: PiVersion,
    pub(super) model_info: ModelInfo,
    pub(super) clock: CountingClock,
    pub(super) run: RunState,
    pub(super) log: SessionLog,
    /// Keeps other agents from the id of the session that was opened last.
    reserved: Option<Reservation>,
    /// The sessions that the host left, by their files.
    pub(super) saved: HashMap<PathBuf, SessionLog>,
    pub(super) thinking_level: String,
    pub(super) compacting: Option<CompactionReason>,
    /// The ids of the `compact` commands that are not answered yet.
    pub(super) pending_compacts: Vec<Value>,
    /// The ids of the `abort` commands that are not answered yet.
    pub(super) pending_aborts: Vec<Value>,
    pub(super) shell_stops: Vec<Rc<Notify>>,
    pub(super) dialogs: HashMap<String, PendingDialog>,
    pub(super) script: ExtensionScript,
    /// Other actions of extensions, in the script of the latest prompt.
    pub(super) prompt_script: ExtensionScript,
    /// The first command has come.
    pub(super) begun: bool,
    /// The session's `system` message was sent.
    pub(super) has_sent_system_message: bool,
    /// The attempt of the retry whose end was not sent.
    pub(super) retry: Option<u32>,
    /// The work before `agent_settled` was aborted.
    pub(super) aborted: bool,
    /// A run has begun and not settled.
    pub(super) unsettled: bool,
    /// Each result message comes when its tool has ended.
    pub(super) results_at_once: bool,
    /// Queued messages that the model gets after its last reply are in a run of their own.
    pub(super) queue_starts_runs: bool,
    /// The run at work is not reported as ended, because its session is left.
    pub(super) leaves_run_open: bool,
    /// The prefix of the ids of entries and of the requests of extensions.
    pub(super) id_prefix: &'static str,
    ids: u64,
}

#[derive(Debug, Default)]
pub(super) struct RunState {
    pub(super) active: bool,
    pub(super) messages: Vec<Value>,
    pub(super) reply: Option<StreamingReply>,
    pub(super) answer: Option<Value>,
    /// The result messages of finished calls, in the order in which they finished.
    pub(super) results: Vec<Value>,
    /// The ids of the calls whose start was sent.
    pub(super) started_calls: Vec<String>,
    /// The calls that ran, and when they began: on the clock that counts, and on that of the machine.
    pub(super) running_since: HashMap<String, (u64, Instant)>,
    /// The thinking level of the latest request to the model.
    pub(super) level: Option<String>,
    /// The records of calls that other tools made, each with the id of its parent.
    pub(super) nested_calls: Vec<(String, Value)>,
    /// Messages from the queue that open the next turn, each after the update of the queues.
    pub(super) dequeued: Vec<(Value, Value)>,
}

impl PiState {
    pub(super) fn connect(version: PiVersion) -> Rc<dyn Connection> {
        Rc::new(RefCell::new(PiState {
            version,
            ..PiState::default()
        }))
    }

    pub(super) fn next_id(&mut self) -> String {
        self.ids += 1;
        format!("{}{:08x}", self.id_prefix, self.ids)
    }

    pub(super) fn append_message(&mut self, message: Value) {
        let id = self.next_id();
        self.log
            .tree
            .append("message", &id, json!({ "message": message }));
        self.log.entries.push(LogEntry { id, message });
    }

    pub(super) fn append_new_entry(&mut self, kind: &str, more: Value) -> &Value {
        let id = self.next_id();
        self.log.tree.append(kind, &id, more)
    }

    /// Appends an entry with an id of its own. Returns its frame for the host, in versions that show entries.
    pub(super) fn append_visible_entry(&mut self, kind: &str, more: Value) -> Value {
        let entry = self.append_new_entry(kind, more);
        json!({ "type": "entry_appended", "entry": entry })
    }

    /// Starts a session in a new file, where sessions are kept. Without entries of another session, it begins with the model and the
    /// thinking level.
    pub(super) fn open_session(&mut self, folder: Option<&Path>, tree: EntryTree) {
        let (id, file) = loop {
            let id = format!("session-{}", self.next_id());
            let Some(folder) = folder else {
                break (id, None);
            };
            let file = folder.join(format!("{id}.jsonl"));
            // A folder that cannot be written is reported when the session is saved.
            let reserved = Reservation::take(&file);
            if !matches!(reserved, Ok(None)) {
                self.reserved = reserved.ok().flatten();
                break (id, Some(file));
            }
        };
        self.begin_session(id, file, tree);
    }

    pub(super) fn open_session_in(&mut self, file: &Path) {
        let id = format!("session-{}", self.next_id());
        self.begin_session(id, Some(file.to_owned()), EntryTree::default());
    }

    pub(super) fn begin_session(&mut self, id: String, file: Option<PathBuf>, tree: EntryTree) {
        let is_new = tree.leaf().is_null();
        self.resume_session(SessionLog {
            file,
            id,
            tree,
            ..SessionLog::default()
        });
        if is_new {
            self.append_model_change();
            self.append_level_change();
        }
    }

    pub(super) fn append_model_change(&mut self) {
        let model = &self.model_info;
        let more = json!({ "provider": model.provider, "modelId": model.model });
        self.append_new_entry("model_change", more);
    }

    pub(super) fn append_level_change(&mut self) {
        let more = json!({ "thinkingLevel": self.thinking_level });
        self.append_new_entry("thinking_level_change", more);
    }

    pub(super) fn resume_session(&mut self, mut log: SessionLog) {
        log.entries = log.tree.context();
        self.has_sent_system_message = log.of_role("system").next().is_some();
        let ids = log.tree.iter().filter_map(|entry| entry["id"].as_str());
        let numbers = ids.filter_map(|id| {
            let digits = id.trim_start_matches(self.id_prefix);
            u64::from_str_radix(digits, 16).ok()
        });
        self.ids = numbers.fold(self.ids, u64::max);
        self.log = log;
    }

    /// Writes the session to its file, if it has one.
    pub(super) fn save_session(&mut self) {
        let Some(path) = &self.log.file else { return };
        match self.log.write(path) {
            Ok(()) => self.reserved.iter_mut().for_each(Reservation::keep),
            Err(error) => tracing::warn!(
                "{}: the session could not be saved: {error}",
                path.display()
            ),
        }
    }
}
