//! A session's messages and its file: JSON Lines, the first line with id and name, then one line per message.

use crate::model::message::{ContentBlock, Message, Role};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// The session as the host can read it.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionLog {
    pub(super) id: String,
    pub(super) name: Option<String>,
    /// The file of the session that it was started from, as the host said.
    pub(super) parent: Option<String>,
    /// Its file. None if it is not saved.
    pub(super) file: Option<PathBuf>,
    pub(super) entries: Vec<LogEntry>,
    /// The usage that still counts of messages that a compaction removed, and of its summary.
    pub(super) removed_usage: Vec<Value>,
    /// It was compacted, and no model has answered since: its size in tokens is not known.
    pub(super) unmeasured: bool,
}

/// A message of the session.
#[derive(Debug, Clone)]
pub(super) struct LogEntry {
    pub(super) id: String,
    pub(super) message: Value,
}

/// A session that the host left: as the host and as the model know it.
#[derive(Debug, Clone)]
pub(super) struct SavedSession {
    pub(super) log: SessionLog,
    pub(super) messages: Vec<Message>,
}

/// Every text of a message, joined.
pub(super) fn text_of(message: &Value) -> String {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

impl SessionLog {
    /// The messages of one role.
    pub(super) fn of_role(&self, role: &str) -> impl DoubleEndedIterator<Item = &LogEntry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.message["role"] == role)
    }

    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(path))?;
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut header = json!({ "type": "session", "id": self.id, "name": self.name });
        if let Some(parent) = &self.parent {
            header["parentSession"] = json!(parent);
        }
        writeln!(file, "{header}")?;
        for LogEntry { id, message } in &self.entries {
            writeln!(
                file,
                "{}",
                json!({ "type": "message", "id": id, "message": message })
            )?;
        }
        file.flush()
    }

    /// The session as a page for a browser.
    pub(super) fn html(&self) -> String {
        let messages = self.entries.iter().map(|entry| section(&entry.message));
        let messages: String = messages.collect();
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

impl SavedSession {
    /// Reads a session's file. The model gets only the texts of its messages.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is not JSON.
    pub(super) fn load(path: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let file = std::fs::File::open(path).map_err(|error| failed(&error))?;
        let mut log = SessionLog {
            file: Some(path.to_owned()),
            ..SessionLog::default()
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
                let content = vec![ContentBlock::Text(text)];
                messages.push(Message { role, content });
            }
            log.entries.push(LogEntry { id, message });
        }
        Ok(SavedSession { log, messages })
    }
}
