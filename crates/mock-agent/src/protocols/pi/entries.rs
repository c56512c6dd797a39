//! "Session File Format" of the specification: the session as a tree of entries, of which each has the one before it as its parent; and the
//! messages that the model gets of them.

use super::messages::{EPOCH, compaction_summary};
use crate::protocols::frames::extended;
use serde_json::{Value, json};

/// The entries of a session in order. The last one is its leaf.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryTree {
    entries: Vec<Value>,
}

/// A message of the session, with the id of its entry.
#[derive(Debug, Clone)]
pub(super) struct LogEntry {
    pub(super) id: String,
    pub(super) message: Value,
}

/// The milliseconds between two entries.
const STEP: u64 = 1000;

impl EntryTree {
    pub(super) fn append(&mut self, kind: &str, id: &str, more: Value) -> &Value {
        let entry = json!({
            "type": kind,
            "id": id,
            "parentId": self.leaf(),
            "timestamp": time(self.entries.len()),
        });
        self.entries.push(extended(entry, more));
        &self.entries[self.entries.len() - 1]
    }

    pub(super) fn load(&mut self, entry: Value) {
        self.entries.push(entry);
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.entries.iter()
    }

    pub(super) fn of_type(&self, kind: &str) -> impl DoubleEndedIterator<Item = &Value> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry["type"] == kind)
    }

    pub(super) fn of_user(&self) -> impl Iterator<Item = &Value> {
        let messages = self.of_type("message");
        messages.filter(|entry| entry["message"]["role"] == "user")
    }

    /// The id of the last entry. Null if there is none.
    pub(super) fn leaf(&self) -> Value {
        self.entries
            .last()
            .map_or(Value::Null, |entry| entry["id"].clone())
    }

    /// The entries after the one with this id, or all of them.
    ///
    /// # Errors
    /// There is no such entry.
    pub(super) fn since(&self, id: Option<&str>) -> Result<&[Value], String> {
        let Some(id) = id else {
            return Ok(&self.entries);
        };
        match self.place(id) {
            Some(place) => Ok(&self.entries[place + 1..]),
            None => Err(format!("Entry not found: {id}")),
        }
    }

    /// The entries as a nested tree: one root, and each entry the child of the one before it.
    pub(super) fn nested(&self) -> Vec<Value> {
        let mut below = Vec::new();
        for entry in self.entries.iter().rev() {
            below = vec![json!({ "entry": entry, "children": below })];
        }
        below
    }

    /// The entries before this one. Empty if there is no such entry.
    pub(super) fn before(&self, id: &str) -> EntryTree {
        let place = self.place(id).unwrap_or(0);
        EntryTree {
            entries: self.entries[..place].to_vec(),
        }
    }

    /// The messages that the model gets: the summary of the last compaction, those that it kept and those after it, without those that an
    /// entry has taken back.
    pub(super) fn context(&self) -> Vec<LogEntry> {
        let mut context: Vec<LogEntry> = Vec::new();
        for (place, entry) in self.entries.iter().enumerate() {
            let id = entry["id"].as_str().unwrap_or_default().to_owned();
            match entry["type"].as_str() {
                Some("message") => {
                    let message = entry["message"].clone();
                    context.push(LogEntry { id, message });
                }
                Some("compaction") => {
                    let is_first = |one: &LogEntry| entry["firstKeptEntryId"] == *one.id;
                    let first = context.iter().position(is_first).unwrap_or(context.len());
                    let kept = context.split_off(first);
                    context.retain(|entry| entry.message["role"] == "system");
                    let message = compaction_summary(entry, EPOCH + place as u64 * STEP);
                    context.push(LogEntry { id, message });
                    context.extend(kept);
                }
                Some("context_edit") if entry["replacement"].is_null() => {
                    context.retain(|kept| entry["targetId"] != *kept.id);
                }
                _ => {}
            }
        }
        context
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry["id"] == id)
    }
}

/// The time of an entry: one second per entry, so that runs are reproducible.
fn time(count: usize) -> String {
    let (minutes, seconds) = (count / 60, count % 60);
    format!(
        "2025-12-01T{:02}:{:02}:{seconds:02}.000Z",
        minutes / 60 % 24,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_the_child_of_the_one_before_it() {
        let mut tree = EntryTree::default();
        assert_eq!(tree.leaf(), Value::Null);
        tree.append("message", "a", json!({}));
        tree.append("custom", "b", json!({ "data": 1 }));

        assert_eq!(tree.since(Some("a")).unwrap()[0]["parentId"], "a");
        assert_eq!(tree.since(Some("z")).unwrap_err(), "Entry not found: z");
        let nested = tree.nested();
        assert_eq!(nested[0]["children"][0]["entry"]["data"], 1);
        assert_eq!(tree.before("b").leaf(), "a");
        assert_eq!(tree.before("a").leaf(), Value::Null);
    }

    #[test]
    fn the_context_begins_with_the_last_summary_and_lacks_what_was_taken_back() {
        let mut tree = EntryTree::default();
        let message = |role: &str| json!({ "message": { "role": role, "content": [] } });
        tree.append("message", "s", message("system"));
        tree.append("message", "a", message("user"));
        tree.append("message", "k", message("user"));
        let summary = json!({ "summary": "so far", "firstKeptEntryId": "k" });
        tree.append("compaction", "b", summary);
        tree.append("message", "c", message("user"));
        tree.append("message", "d", message("assistant"));
        let edit = json!({ "targetId": "d", "replacement": null });
        tree.append("context_edit", "e", edit);

        let ids: Vec<_> = tree.context().into_iter().map(|entry| entry.id).collect();
        assert_eq!(ids, ["s", "b", "k", "c"]);
        assert_eq!(tree.context()[1].message["summary"], "so far");
        assert_eq!(tree.of_user().count(), 3);
    }
}
