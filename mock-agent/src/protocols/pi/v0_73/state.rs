//! What the adapter knows of its session besides the core.

use super::super::messages::Clock;
use super::super::stream::Reply;
use super::dialogs::{Pending, Script};
use super::model::tell_level;
use super::sessions::Kept;
use super::v0_87::Later;
use crate::core::event::CompactionReason;
use crate::core::model_info::ModelInfo;
use crate::core::session::Session;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use tokio::sync::Notify;

/// Says what happens, and remembers what commands ask for.
#[derive(Debug, Default)]
pub(super) struct Modern {
    pub(super) model_info: ModelInfo,
    pub(super) clock: Clock,
    pub(super) run: Run,
    pub(super) log: Log,
    /// The sessions that were left, by their files.
    pub(super) kept: HashMap<PathBuf, Kept>,
    pub(super) level: String,
    pub(super) compacting: Option<CompactionReason>,
    /// The `compact` commands that are not answered yet: their ids.
    pub(super) compacts: Vec<Option<Value>>,
    /// The `abort` commands that are not answered yet: their ids.
    pub(super) aborts: Vec<Option<Value>>,
    /// What stops each shell command at work.
    pub(super) shell_commands: Vec<Rc<Notify>>,
    pub(super) dialogs: HashMap<String, Pending>,
    pub(super) script: Script,
    /// The first command has come.
    pub(super) begun: bool,
    /// What later versions have besides; none where this one is spoken.
    pub(super) later: Option<Later>,
    /// How many ids have been given so far.
    pub(super) ids: u64,
}

/// The run at work.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) active: bool,
    pub(super) messages: Vec<Value>,
    /// The reply that streams in.
    pub(super) reply: Option<Reply>,
    /// The turn's reply, once it is whole.
    pub(super) answer: Option<Value>,
    /// The calls that have ended: their results' messages, in the order of their ends.
    pub(super) ended: Vec<Value>,
    /// The calls whose start has been told.
    pub(super) started: Vec<String>,
    /// What was queued and opens the next turn.
    pub(super) heard: Vec<Value>,
}

/// The session as the host may read it.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) id: String,
    pub(super) name: Option<String>,
    /// The file of the session that it came from, as the host told.
    pub(super) parent: Option<String>,
    /// Its file; none if it is not kept.
    pub(super) file: Option<PathBuf>,
    pub(super) entries: Vec<Entry>,
    /// What later versions still count: the usage of messages that a compaction took away, and of its summary.
    pub(super) spent: Vec<Value>,
    /// It was compacted, and no model has answered since.
    pub(super) unmeasured: bool,
}

/// A message of the session.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) message: Value,
}

impl Modern {
    /// Lets a command look at, and change, what is known.
    pub(super) fn of<T>(session: &Session, look: impl FnOnce(&mut Modern) -> T) -> Option<T> {
        session.events.encoder(look)
    }

    /// Makes ready for the first command.
    pub(super) fn begin(session: &Session) {
        let extras = &session.settings.extras;
        let first = Modern::of(session, |modern| {
            if std::mem::replace(&mut modern.begun, true) {
                return false;
            }
            modern.level = extras.level.clone().unwrap_or_default();
            modern.open(extras.sessions.as_deref());
            modern.log.name.clone_from(&extras.name);
            if extras.extended {
                modern.script = Script::read();
            }
            true
        });
        if first == Some(true) {
            tell_level(session);
        }
    }

    /// An id that was not there before.
    pub(super) fn next_id(&mut self) -> String {
        self.ids += 1;
        format!("{:08x}", self.ids)
    }

    pub(super) fn enter(&mut self, message: Value) {
        let id = self.next_id();
        if let Some(later) = &mut self.later {
            let message = serde_json::json!({ "message": message });
            later.ledger.append("message", &id, message);
        }
        self.log.entries.push(Entry { id, message });
    }
}
