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
    entries: RefCell<VecDeque<(u64, usize, Value)>>,
    last: Cell<u64>,
    bytes: Cell<usize>,
    change: Notify,
}

/// Most bytes of the lines in the journal; the oldest entries are dropped then.
const MAX_BYTES: usize = 32 << 20;

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

    /// Records bytes as they were written or read. A JSON object becomes a frame, anything else a text.
    pub(crate) fn record_bytes(&self, direction: &str, bytes: &[u8]) {
        if self.is_kept {
            let frame = serde_json::from_slice::<Map<String, Value>>(bytes);
            let (key, value) = match frame {
                Ok(frame) => ("frame", Value::Object(frame)),
                Err(_) => ("text", String::from_utf8_lossy(bytes).into()),
            };
            self.add(direction, bytes.len(), [(key, value)]);
        }
    }

    /// Records what happened at a gate.
    pub(crate) fn record_gate(&self, name: &str, state: &str) {
        if self.is_kept {
            self.add("gate", 0, [("gate", name.into()), ("state", state.into())]);
        }
    }

    fn add<const N: usize>(&self, direction: &str, bytes: usize, members: [(&str, Value); N]) {
        let number = self.last.get() + 1;
        self.last.set(number);
        let at = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut entry = json!({ "n": number, "at": at, "dir": direction });
        for (key, value) in members {
            entry[key] = value;
        }
        let mut entries = self.entries.borrow_mut();
        entries.push_back((number, bytes, entry));
        self.bytes.set(self.bytes.get() + bytes);
        while self.bytes.get() > MAX_BYTES
            && let Some((_, dropped, _)) = entries.pop_front()
        {
            self.bytes.set(self.bytes.get() - dropped);
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
        let later = entries.iter().filter(|(n, ..)| *n > number);
        later.map(|(.., entry)| entry.clone()).collect()
    }

    /// Waits for an entry after a number that is accepted.
    pub(crate) async fn find(&self, number: u64, accepts: impl Fn(&Value) -> bool) -> Value {
        let mut seen = number;
        loop {
            let change = self.change.notified();
            let found = {
                let entries = self.entries.borrow();
                let mut later = entries.iter().filter(|(n, ..)| *n > seen);
                later
                    .find(|(.., entry)| accepts(entry))
                    .map(|(.., entry)| entry.clone())
            };
            if let Some(entry) = found {
                return entry;
            }
            seen = seen.max(self.last.get());
            change.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_entry_is_found_now_or_when_it_comes() {
        let journal = Journal::new(true);
        journal.record_bytes(FROM_HOST, b"{\"type\":\"a\"}");
        journal.record_bytes(FROM_HOST, b"no json");
        let of_type = |kind: &'static str| move |entry: &Value| entry["frame"]["type"] == kind;
        assert_eq!(journal.find(0, of_type("a")).await["n"], 1);
        let (found, ()) = tokio::join!(journal.find(2, of_type("a")), async {
            journal.record_bytes(FROM_AGENT, b"{\"type\":\"b\"}");
            journal.record_bytes(FROM_HOST, b"{\"type\":\"a\"}");
        });
        assert_eq!(found["n"], 4);
        assert_eq!(journal.after(1)[0]["text"], "no json");
    }

    #[test]
    fn without_a_controller_nothing_is_kept() {
        let journal = Journal::new(false);
        journal.record_bytes(FROM_HOST, b"{}");
        assert_eq!((journal.last(), journal.after(0)), (0, Vec::new()));
    }
}
