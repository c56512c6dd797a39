//! "Session" of the specification: new ones, others, forks and copies.

use super::entries::EntryTree;
use super::extension_script::ExtensionScript;
use super::first_session;
use super::hooks;
use super::models::{self, send_effort};
use super::responses::{Answer, PiCommand, cancelled, data, respond};
use super::session_log::{SavedSession, model_messages, text_of};
use super::state::PiState;
use crate::core::compaction::estimate_tokens;
use crate::core::failure::Halt;
use crate::core::session::Session;
use crate::core::settings::HostOptions;
use crate::model::message::{ContentBlock, Message, Role};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Opens the session before the first command is handled.
pub(super) fn begin(session: &Session) {
    let host_options = &session.settings.host_options;
    let first = PiState::with(session, |state| {
        if std::mem::replace(&mut state.begun, true) {
            return false;
        }
        state.thinking_level = host_options.thinking_level.clone().unwrap_or_default();
        if host_options.has_extensions {
            state.script = ExtensionScript::read();
        }
        true
    });
    if first != Some(true) {
        return;
    }
    first_session::open(session);
    PiState::with(session, |state| {
        if let Some(name) = &host_options.session_name {
            state.append_new_entry("session_info", json!({ "name": name }));
        }
    });
    send_effort(session);
}

/// Changes the session.
type Change = fn(&Session, &Value) -> Answer;

/// Changes the session at once if the agent is idle. Otherwise stops its work first and answers later.
fn change(command: &PiCommand<'_>, event: &str, name: &'static str, act: Change) -> Option<Answer> {
    let session = command.session;
    let cancels = PiState::with(session, |state| state.script.cancels(event));
    if cancels == Some(true) {
        return Some(cancelled_by_extension(name, command));
    }
    if !session.is_busy() {
        return Some(act(session, &command.fields));
    }
    session.queues.clear();
    session.stop(Halt::Stop);
    let (id, fields) = (command.id().cloned(), command.fields.clone());
    session.background_tasks.add(Box::new(move |session| {
        Box::pin(async move {
            session.wait_until_idle().await;
            respond(session, id.as_ref(), name, act(session, &fields));
        })
    }));
    None
}

/// The answer to a change that an extension cancelled.
fn cancelled_by_extension(name: &str, command: &PiCommand<'_>) -> Answer {
    if name != "fork" || !command.version.cancelled_fork_has_text() {
        return cancelled(true);
    }
    let entry = command.text("entryId")?;
    let text = find(command.session, entry)?;
    data(json!({ "text": text, "cancelled": true }))
}

pub(super) fn new_session(command: &PiCommand<'_>) -> Option<Answer> {
    change(
        command,
        "session_before_switch",
        "new_session",
        |session, fields| {
            if hooks::starts_session(session) {
                leave(session, Vec::new());
                let host_options = &session.settings.host_options;
                let parent = fields["parentSession"].as_str().map(str::to_owned);
                PiState::with(session, |state| {
                    reset_level(state, host_options);
                    let folder = host_options.session_folder.as_deref();
                    state.open_session(folder, EntryTree::default());
                    state.log.parent = parent;
                    state.save_session();
                });
                send_effort(session);
            }
            cancelled(false)
        },
    )
}

/// Sets the thinking level of a new session.
fn reset_level(state: &mut PiState, host_options: &HostOptions) {
    if state.version.resets_level() {
        state.thinking_level = host_options.thinking_level.clone().unwrap_or_default();
    }
}

pub(super) fn switch_session(command: &PiCommand<'_>) -> Option<Answer> {
    change(
        command,
        "session_before_switch",
        "switch_session",
        |session, fields| {
            let path = PathBuf::from(fields["sessionPath"].as_str().unwrap_or_default());
            let known = PiState::with(session, |state| {
                let here = state.log.file.as_ref() == Some(&path);
                (state.saved.get(&path).cloned(), here)
            });
            let next = match known {
                Some((_, true)) => return cancelled(false),
                Some((Some(kept), _)) => Some(kept),
                _ => SavedSession::load(&path)?,
            };
            if !hooks::loads_session(session) {
                return cancelled(false);
            }
            let (log, messages) = next.map(|next| (next.log, next.messages)).unzip();
            leave(session, messages.unwrap_or_default());
            PiState::with(session, |state| match log {
                Some(log) => state.resume_session(log),
                None => {
                    reset_level(state, &session.settings.host_options);
                    state.open_session_in(&path);
                }
            });
            models::restore(session);
            cancelled(false)
        },
    )
}

pub(super) fn fork(command: &PiCommand<'_>) -> Option<Answer> {
    change(command, "session_before_fork", "fork", |session, fields| {
        let entry = fields["entryId"].as_str().unwrap_or_default();
        let text = find(session, entry)?;
        let tree = PiState::with(session, |state| state.log.tree.before(entry));
        let tree = tree.unwrap_or_default();
        let all = session.conversation.borrow().messages.clone();
        let before = before(&all, &text).unwrap_or_else(|| model_messages(&tree.context()));
        leave(session, hooks::forked_messages(session, all, before));
        open(session, tree);
        data(json!({ "text": text, "cancelled": false }))
    })
}

pub(super) fn clone_session(command: &PiCommand<'_>) -> Option<Answer> {
    change(command, "session_before_fork", "clone", |session, _| {
        let tree = PiState::with(session, |state| state.log.tree.clone());
        let messages = session.conversation.borrow().messages.clone();
        let (tree, messages) = match hooks::clones_messages(session) {
            true => (tree.unwrap_or_default(), messages),
            false => (EntryTree::default(), Vec::new()),
        };
        leave(session, messages);
        open(session, tree);
        cancelled(false)
    })
}

/// The text of a message of the user.
fn find(session: &Session, id: &str) -> Result<String, String> {
    let found = PiState::with(session, |state| {
        let mut users = state.log.tree.of_user();
        let entry = users.find(|entry| entry["id"] == id)?;
        Some(text_of(&entry["message"]))
    });
    found
        .flatten()
        .ok_or_else(|| "Invalid entry ID for forking".to_owned())
}

/// The messages before the last message of the user with this text. None if there is no such message.
fn before(messages: &[Message], text: &str) -> Option<Vec<Message>> {
    let says = |message: &Message| {
        let mut blocks = message.content.iter();
        message.role == Role::User
            && blocks.any(|b| matches!(b, ContentBlock::Text(said) if said == text))
    };
    let place = messages.iter().rposition(says)?;
    Some(messages[..place].to_vec())
}

/// Saves and leaves the current session. The next one continues with these messages.
fn leave(session: &Session, messages: Vec<Message>) {
    let current = session.conversation.borrow().messages.clone();
    session.start_new_conversation();
    session.queues.clear();
    session.context_tokens.set(estimate_tokens(&messages));
    session.conversation.borrow_mut().messages = messages;
    PiState::with(session, |state| {
        state.save_session();
        let log = std::mem::take(&mut state.log);
        let remembers = |file: &PathBuf| hooks::remembers_session(session, state, file);
        if let Some(file) = log.file.clone().filter(remembers) {
            let messages = current;
            state.saved.insert(file, SavedSession { log, messages });
        }
    });
}

/// Opens a session that begins with these entries.
fn open(session: &Session, tree: EntryTree) {
    let folder = session.settings.host_options.session_folder.as_deref();
    PiState::with(session, |state| {
        state.open_session(folder, tree);
        state.save_session();
    });
}

pub(super) fn set_name(command: &PiCommand<'_>) -> Answer {
    let name = command.text("name")?.trim().to_owned();
    if name.is_empty() {
        return Err("Session name cannot be empty".to_owned());
    }
    let told = PiState::with(command.session, |state| {
        let frame = json!({ "type": "session_info_changed", "name": name });
        let changed = state.log.name() != Some(&name);
        state.append_new_entry("session_info", json!({ "name": name }));
        state.save_session();
        (changed && state.version.has_change_events()).then_some(frame)
    });
    if let Some(frame) = told.flatten() {
        command.session.events.send_frame(frame);
    }
    Ok(None)
}

/// Writes the session as a page for a browser.
pub(super) fn export(command: &PiCommand<'_>) -> Answer {
    let mut log = PiState::with(command.session, |state| state.log.clone()).unwrap_or_default();
    if !hooks::exports_messages(command.session) {
        log.entries.clear();
    }
    let path = match command.fields["outputPath"].as_str() {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(format!("pi-session-{}.html", log.id)),
    };
    std::fs::write(&path, log.html()).map_err(|error| format!("{}: {error}", path.display()))?;
    data(json!({ "path": path }))
}
