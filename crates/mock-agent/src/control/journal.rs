//! The journal: what the host and the agent have written, and what happened at gates.

use serde_json::{Map, Value, json};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Instant;
use tokio::sync::Notify;

/// The journal of a process. It is kept only if there is a controller to read it.
#[derive(Debug)]
pub(crate) struct Journal {
    started: Instant,
    is_kept: bool,
    entries: RefCell<VecDeque<Entry>>,
    last: Cell<u64>,
    bytes: Cell<usize>,
    change: Notify,
}

/// An entry. Lines are kept as bytes, because a parsed line takes many times as much memory.
#[derive(Debug)]
struct Entry {
    number: u64,
    /// Microseconds since the start.
    at: u64,
    what: Recorded,
}

#[derive(Debug)]
enum Recorded {
    /// Bytes that were read or written, and by whom they were sent.
    Bytes(&'static str, Box<[u8]>),
    /// A gate, and what happened at it.
    Gate(Box<str>, &'static str),
}

/// Most bytes of the journal; the oldest entries are dropped then.
const MAX_BYTES: usize = 32 << 20;

impl Entry {
    fn size(&self) -> usize {
        let text = match &self.what {
            Recorded::Bytes(_, bytes) => bytes.len(),
            Recorded::Gate(name, _) => name.len(),
        };
        size_of::<Entry>() + text
    }

    /// The entry as a test sees it. A JSON object is a frame, anything else a text.
    fn to_value(&self) -> Value {
        let (number, at) = (self.number, self.at);
        match &self.what {
            Recorded::Gate(name, state) => {
                json!({ "n": number, "at": at, "dir": "gate", "gate": name, "state": state })
            }
            Recorded::Bytes(direction, bytes) => {
                let frame = serde_json::from_slice::<Map<String, Value>>(bytes);
                let (key, value) = match frame {
                    Ok(frame) => ("frame", Value::Object(frame)),
                    Err(_) => ("text", String::from_utf8_lossy(bytes).into()),
                };
                json!({ "n": number, "at": at, "dir": direction, key: value })
            }
        }
    }
}

/// Where a line went.
pub(crate) const FROM_HOST: &str = "host";
pub(crate) const FROM_AGENT: &str = "agent";

impl Journal {
    pub(crate) fn new(is_kept: bool) -> Self {
        Journal {
            started: Instant::now(),
            is_kept,
            entries: RefCell::default(),
            last: Cell::default(),
            bytes: Cell::default(),
            change: Notify::new(),
        }
    }

    /// Whether a controller can read it.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Records bytes as they were written or read.
    pub(crate) fn record_bytes(&self, direction: &'static str, bytes: &[u8]) {
        if self.is_kept {
            self.add(Recorded::Bytes(direction, bytes.into()));
        }
    }

    /// Records what happened at a gate.
    pub(crate) fn record_gate(&self, name: &str, state: &'static str) {
        if self.is_kept {
            self.add(Recorded::Gate(name.into(), state));
        }
    }

    fn add(&self, what: Recorded) {
        let number = self.last.get() + 1;
        self.last.set(number);
        let at = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let entry = Entry { number, at, what };
        let mut entries = self.entries.borrow_mut();
        self.bytes.set(self.bytes.get() + entry.size());
        entries.push_back(entry);
        while self.bytes.get() > MAX_BYTES
            && entries.len() > 1
            && let Some(dropped) = entries.pop_front()
        {
            self.bytes.set(self.bytes.get() - dropped.size());
        }
        self.change.notify_waiters();
    }

    /// The number of the last entry.
    pub(crate) fn last(&self) -> u64 {
        self.last.get()
    }

    /// The entries after a number.
    pub(crate) fn after(&self, number: u64) -> Vec<Value> {
        let entries = self.entries.borrow();
        later(&entries, number).map(Entry::to_value).collect()
    }

    /// Waits for a JSON object that the host sends, after an entry of this number.
    pub(crate) async fn command(&self, number: u64, accepts: impl Fn(&Value) -> bool) -> Value {
        let mut seen = number;
        loop {
            let change = self.change.notified();
            let found = {
                let entries = self.entries.borrow();
                let mut commands = later(&entries, seen)
                    .filter(|entry| matches!(entry.what, Recorded::Bytes(FROM_HOST, _)))
                    .map(Entry::to_value);
                commands.find(|entry| entry.get("frame").is_some_and(&accepts))
            };
            if let Some(entry) = found {
                return entry;
            }
            seen = seen.max(self.last.get());
            change.await;
        }
    }
}

/// The entries after a number. Numbers have no gaps, so the first one is found without a search.
fn later(entries: &VecDeque<Entry>, number: u64) -> impl Iterator<Item = &Entry> {
    let first = entries.front().map_or(0, |entry| entry.number);
    let known = number.saturating_add(1).saturating_sub(first);
    let known = usize::try_from(known).unwrap_or(usize::MAX);
    entries.range(known.min(entries.len())..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_entry_is_found_now_or_when_it_comes() {
        let journal = Journal::new(true);
        journal.record_bytes(FROM_HOST, b"{\"type\":\"a\"}");
        journal.record_bytes(FROM_HOST, b"no json");
        let of_type = |kind: &'static str| move |frame: &Value| frame["type"] == kind;
        assert_eq!(journal.command(0, of_type("a")).await["n"], 1);
        let (found, ()) = tokio::join!(journal.command(2, of_type("a")), async {
            journal.record_bytes(FROM_AGENT, b"{\"type\":\"a\"}");
            journal.record_bytes(FROM_HOST, b"{\"type\":\"a\"}");
        });
        assert_eq!(found["n"], 4);
        assert_eq!(journal.after(1)[0]["text"], "no json");
    }

    #[test]
    fn the_oldest_entries_are_dropped_and_the_numbers_go_on() {
        let journal = Journal::new(true);
        let line = vec![b'x'; MAX_BYTES / 4];
        for _ in 0..20 {
            journal.record_bytes(FROM_HOST, &line);
        }
        for _ in 0..MAX_BYTES / size_of::<Entry>() / 2 {
            journal.record_gate("", "holds");
        }
        assert!(journal.bytes.get() <= MAX_BYTES);
        let bytes: usize = journal.entries.borrow().iter().map(Entry::size).sum();
        assert_eq!(journal.bytes.get(), bytes);
        let kept = journal.after(0);
        assert!(kept.len() < 20 + MAX_BYTES / size_of::<Entry>() / 2);
        assert_eq!(kept.last().unwrap()["n"], journal.last());
        assert_eq!(
            kept[0]["n"].as_u64().unwrap() + kept.len() as u64,
            journal.last() + 1
        );
        assert_eq!(journal.after(journal.last() - 2).len(), 2);
        assert!(journal.after(u64::MAX - 1).is_empty());
    }

    #[test]
    fn without_a_controller_nothing_is_kept() {
        let journal = Journal::new(false);
        journal.record_bytes(FROM_HOST, b"{}");
        assert_eq!((journal.last(), journal.after(0)), (0, Vec::new()));
    }
}
