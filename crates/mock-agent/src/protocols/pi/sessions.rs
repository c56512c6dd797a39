//! "Session" of the specification: new ones, others, forks and copies.

use super::models::{self, send_effort};
use super::queue::queue_update;
use super::responses::{data, respond};
use super::session_log::{model_messages, text_of};
use super::{
    Answer, EntryTree, ExtensionScript, PiCommand, PiSession, Reply, SessionLog, V0_87, V1_6,
    first_session,
};
use crate::core::Halt;
use crate::core::compaction::estimate_tokens;
use crate::faults::Bug;
use crate::model::{ContentBlock, Message, Role};
use crate::tools::ScriptedTool;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Opens the session before the first command is handled.
pub(super) fn begin(session: PiSession<'_>) {
    let host_options = &session.core().settings.host_options;
    let mut state = session.state();
    if std::mem::replace(&mut state.begun, true) {
        return;
    }
    if session.faults.triggers(Bug::HasOtherIds) {
        state.id_prefix = "Nº ";
    }
    state.thinking_level = host_options.thinking_level.clone().unwrap_or_default();
    if host_options.has_extensions {
        state.script = ExtensionScript::read();
        if state.version >= V1_6 {
            let tools = std::mem::take(&mut state.script.tools).into_iter();
            let tools = tools.map(|(name, calls)| ScriptedTool { name, calls });
            session.tools.add_scripted(tools);
        }
    }
    drop(state);
    first_session::open(session);
    if let Some(name) = &host_options.session_name {
        let more = json!({ "name": name });
        session.state().append_new_entry("session_info", more);
    }
    send_effort(session);
}

type Change = fn(PiSession<'_>, &Value) -> Answer;

/// Changes the session at once if the agent is idle. Otherwise stops its work first and answers later.
fn change(command: &PiCommand<'_>, event: &str, act: Change) -> Answer {
    let session = command.session;
    if session.state().script.cancels(event) {
        return cancelled_by_extension(command);
    }
    if !session.is_busy() {
        return act(session, &command.fields);
    }
    empty_queues(session);
    let leaves_open = session.has_turn() && session.faults.triggers(Bug::LeavesRunsOpen);
    session.state().leaves_run_open = leaves_open;
    session.stop(Halt::Stop);
    let fields = command.fields.clone();
    session.spawn(async move |session| {
        session.wait_until_idle().await;
        respond(session, &fields, act(session, &fields));
    });
    Ok(Reply::Later)
}

/// Empties the queues, and tells the host if a message was in them.
fn empty_queues(session: PiSession<'_>) {
    if session.queues.len() > 0 {
        session.queues.clear();
        if !session.faults.triggers(Bug::EmptiesQueueSilently) {
            session.send(queue_update(&session.queues));
        }
    }
}

/// The response to a command that extensions could have cancelled.
fn cancelled(cancelled: bool) -> Answer {
    data(json!({ "cancelled": cancelled }))
}

/// The answer to a change that an extension cancelled. In 0.73, that of `fork` has the message's text nevertheless.
fn cancelled_by_extension(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    if command.fields["type"] != "fork" || session.state().version >= V0_87 {
        return cancelled(true);
    }
    let text = find(session, command.text("entryId")?)?;
    data(json!({ "text": text, "cancelled": true }))
}

pub(super) fn new_session(command: &PiCommand<'_>) -> Answer {
    change(command, "session_before_switch", |session, fields| {
        if !session.faults.triggers(Bug::NewSessionKeepsConversation) {
            leave(session, Vec::new());
            reset_level(session);
            open(
                session,
                EntryTree::default(),
                fields["parentSession"].as_str(),
            );
            send_effort(session);
        }
        cancelled(false)
    })
}

/// Sets the thinking level of a new session. In 0.73, it stays as it is.
fn reset_level(session: PiSession<'_>) {
    let mut state = session.state();
    if state.version >= V0_87 {
        let level = &session.settings.host_options.thinking_level;
        state.thinking_level = level.clone().unwrap_or_default();
    }
}

pub(super) fn switch_session(command: &PiCommand<'_>) -> Answer {
    change(command, "session_before_switch", |session, fields| {
        let path = PathBuf::from(fields["sessionPath"].as_str().unwrap_or_default());
        if session.state().log.file.as_ref() == Some(&path) {
            return cancelled(false);
        }
        let kept = session.state().saved.get(&path).cloned();
        let next = match kept {
            Some(kept) => Some(kept),
            None => {
                SessionLog::load(&path).map_err(|error| format!("{}: {error}", path.display()))?
            }
        };
        if session.faults.triggers(Bug::SwitchLoadsNothing) {
            return cancelled(false);
        }
        let messages = next.as_ref().map(|log| log.messages.clone());
        leave(session, messages.unwrap_or_default());
        match next {
            Some(log) => session.state().resume_session(log),
            None => {
                reset_level(session);
                session.state().open_session_in(&path);
            }
        }
        models::restore(session);
        cancelled(false)
    })
}

pub(super) fn fork(command: &PiCommand<'_>) -> Answer {
    change(command, "session_before_fork", |session, fields| {
        let entry = fields["entryId"].as_str().unwrap_or_default();
        let text = find(session, entry)?;
        let tree = session.state().log.tree.before(entry);
        let all = session.conversation.borrow().messages.clone();
        let before = before(&all, &text).unwrap_or_else(|| model_messages(&tree.context()));
        leave(
            session,
            if session.faults.triggers(Bug::ForkKeepsAll) {
                all
            } else {
                before
            },
        );
        open(session, tree, None);
        data(json!({ "text": text, "cancelled": false }))
    })
}

pub(super) fn clone_session(command: &PiCommand<'_>) -> Answer {
    change(command, "session_before_fork", |session, _| {
        let mut tree = session.state().log.tree.clone();
        let mut messages = session.conversation.borrow().messages.clone();
        if session.faults.triggers(Bug::CloneIsEmpty) {
            (tree, messages) = Default::default();
        }
        leave(session, messages);
        open(session, tree, None);
        cancelled(false)
    })
}

fn find(session: PiSession<'_>, id: &str) -> Result<String, String> {
    let state = session.state();
    let mut entries = state.log.tree.of_user();
    let entry = entries.find(|entry| entry["id"] == id);
    entry
        .map(|entry| text_of(&entry["message"]))
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
fn leave(session: PiSession<'_>, messages: Vec<Message>) {
    let current = session.conversation.borrow().messages.clone();
    session.start_new_conversation();
    empty_queues(session);
    session.context_tokens.set(estimate_tokens(&messages));
    session.conversation.borrow_mut().messages = messages;
    let mut state = session.state();
    state.save_session();
    let mut log = std::mem::take(&mut state.log);
    if let Some(file) = log.file.clone()
        && !(state.saved.contains_key(&file) && session.faults.triggers(Bug::ResumedStaysUnsaved))
    {
        log.messages = current;
        state.saved.insert(file, log);
    }
}

/// Opens and saves a session that begins with these entries. The host may name the file of the one that it was started from.
fn open(session: PiSession<'_>, tree: EntryTree, parent: Option<&str>) {
    let folder = session.settings.host_options.session_folder.as_deref();
    let mut state = session.state();
    state.open_session(folder, tree);
    state.log.parent = parent.map(str::to_owned);
    state.save_session();
}

pub(super) fn set_name(command: &PiCommand<'_>) -> Answer {
    let name = command.text("name")?.trim();
    if name.is_empty() {
        return Err("Session name cannot be empty".to_owned());
    }
    let mut state = command.session.state();
    let changed = state.log.name() != Some(name);
    state.append_new_entry("session_info", json!({ "name": name }));
    state.save_session();
    if changed && state.version >= V0_87 {
        let frame = json!({ "type": "session_info_changed", "name": name });
        command.session.send(frame);
    }
    Ok(Reply::Done)
}

pub(super) fn export(command: &PiCommand<'_>) -> Answer {
    let mut log = command.session.state().log.clone();
    if command.session.faults.triggers(Bug::ExportsNothing) {
        log.entries.clear();
    }
    let path = match command.fields["outputPath"].as_str() {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(format!("pi-session-{}.html", log.id)),
    };
    std::fs::write(&path, log.html()).map_err(|error| format!("{}: {error}", path.display()))?;
    data(json!({ "path": path }))
}
