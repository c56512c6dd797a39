//! A session and its file: JSON Lines, the first line with its id, then one line for each entry.

use super::queue::image_block;
use super::{EntryTree, LogEntry};
use crate::core::compaction::introduced;
use crate::model::{ContentBlock, Message, Role};
use crate::session_store::in_folder_of;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

const FORMAT: u64 = 3;

/// The session in the form that the host can read.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionLog {
    pub(super) id: String,
    /// The file of the session that it was started from, as given by the host.
    pub(super) parent: Option<String>,
    pub(super) file: Option<PathBuf>,
    pub(super) tree: EntryTree,
    /// The messages of the entries that the model gets.
    pub(super) entries: Vec<LogEntry>,
    /// It was compacted, and no model has answered since: its size in tokens is not known.
    pub(super) unmeasured: bool,
    /// The conversation of the model, while another session is open.
    pub(super) messages: Vec<Message>,
}

pub(super) fn text_of(message: &Value) -> String {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

/// The images of a message of the user.
fn images_of(message: &Value) -> impl Iterator<Item = ContentBlock> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let blocks = blocks.filter(|block| message["role"] == "user" && block["type"] == "image");
    blocks.filter_map(|block| image_block(block).ok())
}

/// The messages for the model. It gets their texts, and the images of the user.
pub(super) fn model_messages(entries: &[LogEntry]) -> Vec<Message> {
    let messages = entries.iter().map(|LogEntry { message, .. }| {
        let text = match message["summary"].as_str() {
            Some(summary) => introduced(summary),
            None if message["role"] == "bashExecution" => of_command(message),
            None => text_of(message),
        };
        let role = match message["role"].as_str() {
            Some("assistant") => Role::Assistant,
            _ => Role::User,
        };
        let text = Some(text).filter(|text| !text.is_empty());
        let content = text.map(ContentBlock::Text).into_iter();
        let content = content.chain(images_of(message)).collect();
        Message { role, content }
    });
    messages.filter(|one| !one.content.is_empty()).collect()
}

/// What the model gets of a shell command of the host: nothing if it is excluded.
fn of_command(message: &Value) -> String {
    if message["excludeFromContext"] == true {
        return String::new();
    }
    let of = |name: &str| message[name].as_str().unwrap_or_default();
    format!("Ran `{}`\n```\n{}\n```", of("command"), of("output"))
}

impl SessionLog {
    pub(super) fn of_role(&self, role: &str) -> impl DoubleEndedIterator<Item = &LogEntry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.message["role"] == role)
    }

    /// The name that the host has given last.
    pub(super) fn name(&self) -> Option<&str> {
        self.tree.of_type("session_info").next_back()?["name"].as_str()
    }

    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        let created = in_folder_of(path, || std::fs::File::create(path))?;
        let mut file = std::io::BufWriter::new(created);
        let first = self.tree.iter().next();
        let mut header = json!({
            "type": "session",
            "version": FORMAT,
            "id": self.id,
            "timestamp": first.map_or(Value::Null, |entry| entry["timestamp"].clone()),
            "cwd": std::env::current_dir()?,
        });
        if let Some(parent) = &self.parent {
            header["parentSession"] = json!(parent);
        }
        writeln!(file, "{header}")?;
        for entry in self.tree.iter() {
            writeln!(file, "{entry}")?;
        }
        file.flush()
    }

    /// Reads a session's file. `None` if there is no such file, or it is empty: nothing was saved yet.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is not JSON.
    pub(super) fn load(path: &Path) -> std::io::Result<Option<Self>> {
        let file = match std::fs::File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut log = SessionLog {
            file: Some(path.to_owned()),
            ..SessionLog::default()
        };
        for line in std::io::BufReader::new(file).lines() {
            let entry: Value = serde_json::from_str(&line?)?;
            if entry["type"] == "session" {
                log.id = entry["id"].as_str().unwrap_or_default().to_owned();
                log.parent = entry["parentSession"].as_str().map(str::to_owned);
            } else {
                log.tree.load(entry);
            }
        }
        if log.id.is_empty() && log.tree.leaf().is_null() {
            return Ok(None);
        }
        log.entries = log.tree.context();
        log.messages = model_messages(&log.entries);
        Ok(Some(log))
    }

    pub(super) fn html(&self) -> String {
        let entries = self.entries.iter();
        let messages: String = entries.map(|entry| section(&entry.message)).collect();
        format!("<!doctype html>\n<html><body>\n{messages}</body></html>\n")
    }
}

fn section(message: &Value) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let role = escape(message["role"].as_str().unwrap_or_default());
    format!(
        "<h2>{role}</h2>\n<pre>{}</pre>\n",
        escape(&text_of(message))
    )
}
