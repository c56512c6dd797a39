//! "Session" of the page: new ones, others, forks and copies.

use super::commands::{Command, cancelled, data};
use super::queries::text_of;
use super::responses::{Answer, respond};
use super::state::{Entry, Log, Modern};
use super::v0_87::{Ledger, named};
use crate::core::compaction::estimate;
use crate::core::failure::Halt;
use crate::core::message::{Block, Message, Role};
use crate::core::session::Session;
use crate::faults::Bug;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// A session that was left: what the host and what the model know of it.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    log: Log,
    messages: Vec<Message>,
}

/// What changes the session.
type Change = fn(&Session, &Value) -> Answer;

/// Changes the session once nothing is at work; answers later where something is.
fn change(command: &Command<'_>, event: &str, name: &'static str, act: Change) -> Option<Answer> {
    let session = command.session;
    let cancels = Modern::of(session, |modern| modern.script.cancels(event));
    if cancels == Some(true) {
        return Some(refused(name, command));
    }
    if !session.is_busy() {
        return Some(act(session, &command.fields));
    }
    session.queues.clear();
    session.stop(Halt::Stop);
    let (id, fields) = (command.id().cloned(), command.fields.clone());
    session.background_tasks.add(Box::new(move |session| {
        Box::pin(async move {
            session.idle().await;
            respond(session, id.as_ref(), name, act(session, &fields));
        })
    }));
    None
}

/// The answer where an extension does not let the change through.
fn refused(name: &str, command: &Command<'_>) -> Answer {
    let later = Modern::of(command.session, |modern| modern.later.is_some());
    if name != "fork" || later == Some(true) {
        return cancelled(true);
    }
    let entry = command.text("entryId")?;
    let (_, text) = find(command.session, entry)?;
    data(json!({ "text": text, "cancelled": true }))
}

pub(super) fn renew(command: &Command<'_>) -> Option<Answer> {
    change(
        command,
        "session_before_switch",
        "new_session",
        |session, fields| {
            if !session.faults.plays(Bug::RenewsNothing) {
                leave(session, Vec::new(), Vec::new());
                let parent = fields["parentSession"].as_str().map(str::to_owned);
                Modern::of(session, |modern| {
                    modern.log.parent = parent;
                    modern.save();
                });
            }
            cancelled(false)
        },
    )
}

pub(super) fn switch(command: &Command<'_>) -> Option<Answer> {
    change(
        command,
        "session_before_switch",
        "switch_session",
        |session, fields| {
            let path = PathBuf::from(fields["sessionPath"].as_str().unwrap_or_default());
            let known = Modern::of(session, |modern| {
                let here = modern.log.file.as_ref() == Some(&path);
                (modern.kept.get(&path).cloned(), here)
            });
            let next = match known {
                Some((_, true)) => return cancelled(false),
                Some((Some(kept), _)) => kept,
                _ => load(&path)?,
            };
            if session.faults.plays(Bug::SwitchLoadsNothing) {
                return cancelled(false);
            }
            leave(session, Vec::new(), next.messages);
            Modern::of(session, |modern| modern.take_up(next.log));
            cancelled(false)
        },
    )
}

pub(super) fn fork(command: &Command<'_>) -> Option<Answer> {
    change(command, "session_before_fork", "fork", |session, fields| {
        let entry = fields["entryId"].as_str().unwrap_or_default();
        let (place, text) = find(session, entry)?;
        let entries = Modern::of(session, |modern| modern.log.entries[..place].to_vec());
        let mut messages = session.conversation.borrow().messages.clone();
        if !session.faults.plays(Bug::ForkKeepsAll) {
            messages = before(&messages, &text);
        }
        leave(session, entries.unwrap_or_default(), messages);
        data(json!({ "text": text, "cancelled": false }))
    })
}

pub(super) fn clone(command: &Command<'_>) -> Option<Answer> {
    change(command, "session_before_fork", "clone", |session, _| {
        let entries = Modern::of(session, |modern| modern.log.entries.clone());
        let messages = session.conversation.borrow().messages.clone();
        if session.faults.plays(Bug::CloneIsEmpty) {
            leave(session, Vec::new(), Vec::new());
        } else {
            leave(session, entries.unwrap_or_default(), messages);
        }
        cancelled(false)
    })
}

/// The place and the text of a message of the user.
fn find(session: &Session, id: &str) -> Result<(usize, String), String> {
    let found = Modern::of(session, |modern| {
        let mut entries = modern.log.entries.iter().enumerate();
        let (place, entry) = entries.find(|(_, entry)| entry.id == id)?;
        (entry.message["role"] == "user").then(|| (place, text_of(&entry.message)))
    });
    found
        .flatten()
        .ok_or_else(|| "Invalid entry ID for forking".to_owned())
}

/// What the model knows from before the last message of the user with this text.
fn before(messages: &[Message], text: &str) -> Vec<Message> {
    let says = |message: &Message| {
        let mut blocks = message.content.iter();
        message.role == Role::User && blocks.any(|b| matches!(b, Block::Text(said) if said == text))
    };
    let place = messages.iter().rposition(says).unwrap_or(messages.len());
    messages[..place].to_vec()
}

/// Keeps the session as it is, and goes on in a new one with these entries and messages.
fn leave(session: &Session, entries: Vec<Entry>, messages: Vec<Message>) {
    let left = session.conversation.borrow().messages.clone();
    session.renew();
    session.queues.clear();
    session.context.set(estimate(&messages));
    session.conversation.borrow_mut().messages = messages;
    let folder = session.settings.extras.sessions.as_deref();
    Modern::of(session, |modern| {
        modern.save();
        let log = std::mem::take(&mut modern.log);
        let forgets = |file: &PathBuf| {
            modern.kept.contains_key(file) && session.faults.plays(Bug::ResumedStaysUnsaved)
        };
        if let Some(file) = log.file.clone().filter(|file| !forgets(file)) {
            modern.kept.insert(
                file,
                Kept {
                    log,
                    messages: left,
                },
            );
        }
        modern.open(folder);
        if let Some(later) = &mut modern.later {
            let last = entries.last().map(|entry| entry.id.as_str());
            later.ledger = later.ledger.up_to(last);
            later.renew(last.is_some());
        }
        modern.log.entries = entries;
        modern.save();
    });
}

impl Modern {
    /// Begins a session with an id of its own, in a file where it is kept.
    pub(super) fn open(&mut self, folder: Option<&Path>) {
        let (id, file) = loop {
            let id = format!("session-{}", self.next_id());
            let file = folder.map(|folder| folder.join(format!("{id}.jsonl")));
            if !file.as_deref().is_some_and(Path::exists) {
                break (id, file);
            }
        };
        self.log = Log {
            file,
            id,
            ..Log::default()
        };
    }

    /// Goes on in a session that was kept.
    fn take_up(&mut self, log: Log) {
        if let Some(later) = &mut self.later {
            later.ledger = Ledger::default();
            later.renew(!log.entries.is_empty());
            for Entry { id, message } in &log.entries {
                let message = json!({ "message": message });
                later.ledger.append("message", id, message);
            }
        }
        self.log = log;
    }

    /// Writes the session to its file, if it is kept.
    pub(super) fn save(&self) {
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

impl Log {
    fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(path))?;
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut header = json!({ "type": "session", "id": self.id, "name": self.name });
        if let Some(parent) = &self.parent {
            header["parentSession"] = json!(parent);
        }
        writeln!(file, "{header}")?;
        for Entry { id, message } in &self.entries {
            writeln!(
                file,
                "{}",
                json!({ "type": "message", "id": id, "message": message })
            )?;
        }
        file.flush()
    }
}

/// Reads a session's file; of what was said, the model gets the texts.
fn load(path: &Path) -> Result<Kept, String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
    let mut log = Log {
        file: Some(path.to_owned()),
        ..Log::default()
    };
    let mut messages = Vec::new();
    for line in std::io::BufReader::new(file).lines() {
        let line = line.map_err(|error| failed(&error))?;
        let mut entry: Value = serde_json::from_str(&line).map_err(|error| failed(&error))?;
        let id = entry["id"].as_str().unwrap_or_default().to_owned();
        if entry["type"] == "session" {
            log.id = id;
            log.name = entry["name"].as_str().map(str::to_owned);
            log.parent = entry["parentSession"].as_str().map(str::to_owned);
            continue;
        }
        let message = entry["message"].take();
        let role = match message["role"].as_str() {
            Some("assistant") => Role::Assistant,
            _ => Role::User,
        };
        let text = text_of(&message);
        if !text.is_empty() {
            let content = vec![Block::Text(text)];
            messages.push(Message { role, content });
        }
        log.entries.push(Entry { id, message });
    }
    Ok(Kept { log, messages })
}

pub(super) fn name(command: &Command<'_>) -> Answer {
    let name = command.text("name")?.trim().to_owned();
    if name.is_empty() {
        return Err("Session name cannot be empty".to_owned());
    }
    let told = Modern::of(command.session, |modern| {
        let frame = named(&name);
        let before = modern.log.name.replace(name);
        modern.save();
        (modern.later.is_some() && before != modern.log.name).then_some(frame)
    });
    if let Some(frame) = told.flatten() {
        command.session.events.send_frame(frame);
    }
    Ok(None)
}

/// Writes the session as a page for a browser.
pub(super) fn export(command: &Command<'_>) -> Answer {
    let mut log = Modern::of(command.session, |modern| modern.log.clone()).unwrap_or_default();
    if command.session.faults.plays(Bug::ExportsNothing) {
        log.entries.clear();
    }
    let path = match command.fields["outputPath"].as_str() {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(format!("{}.html", log.id)),
    };
    let messages: String = log
        .entries
        .iter()
        .map(|entry| section(&entry.message))
        .collect();
    let page = format!("<!doctype html>\n<html><body>\n{messages}</body></html>\n");
    std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    data(json!({ "path": path }))
}

fn section(message: &Value) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let role = escape(message["role"].as_str().unwrap_or_default());
    format!(
        "<h2>{role}</h2>\n<pre>{}</pre>\n",
        escape(&text_of(message))
    )
}
