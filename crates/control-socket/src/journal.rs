//! The journal of a process that a test controls: its newest records, up to a number of bytes.

use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// What a process records. Bytes are kept as they are, because parsed JSON takes many times as much memory.
pub trait Record {
    /// The bytes that it has on the heap.
    fn heap_size(&self) -> usize;

    /// The content that a test sees, in addition to its number and its time.
    fn to_map(&self) -> Map<String, Value>;
}

/// The newest records of a process, numbered from 1. The oldest ones are dropped.
#[derive(Debug)]
pub struct Journal<R> {
    started: Instant,
    /// Most bytes that are kept; 0 if there is no controller to read them.
    limit: usize,
    kept: Mutex<Kept<R>>,
    change: Notify,
}

#[derive(Debug)]
struct Kept<R> {
    entries: VecDeque<Entry<R>>,
    last: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry<R> {
    number: u64,
    /// Microseconds since the start.
    at: u64,
    record: R,
}

impl<R: Record> Entry<R> {
    fn size(&self) -> usize {
        size_of::<Self>() + self.record.heap_size()
    }

    fn to_value(&self) -> Value {
        let mut value = Map::from_iter([
            ("n".to_owned(), self.number.into()),
            ("at".to_owned(), self.at.into()),
        ]);
        value.extend(self.record.to_map());
        Value::Object(value)
    }
}

impl<R: Record> Journal<R> {
    /// A journal that keeps this many bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let kept = Kept {
            entries: VecDeque::new(),
            last: 0,
            bytes: 0,
        };
        Journal {
            started: Instant::now(),
            limit,
            kept: Mutex::new(kept),
            change: Notify::new(),
        }
    }

    /// Whether anything is kept.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.limit > 0
    }

    fn kept(&self) -> MutexGuard<'_, Kept<R>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a record, if anything is kept.
    pub fn add(&self, record: impl FnOnce() -> R) {
        if !self.is_kept() {
            return;
        }
        let mut kept = self.kept();
        kept.last += 1;
        let entry = Entry {
            number: kept.last,
            at: u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            record: record(),
        };
        kept.bytes += entry.size();
        kept.entries.push_back(entry);
        while kept.bytes > self.limit
            && kept.entries.len() > 1
            && let Some(dropped) = kept.entries.pop_front()
        {
            kept.bytes -= dropped.size();
        }
        drop(kept);
        self.change.notify_waiters();
    }

    /// The number of the last record.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.kept().last
    }

    /// The records after a number.
    #[must_use]
    pub fn after(&self, number: u64) -> Vec<Value> {
        self.kept().after(number).map(Entry::to_value).collect()
    }

    /// Waits for a record after this number.
    pub async fn find(&self, number: u64, accepts: impl Fn(&R) -> bool) -> Value {
        let mut seen = number;
        loop {
            let change = self.change.notified();
            let last = {
                let kept = self.kept();
                let mut later = kept.after(seen);
                if let Some(entry) = later.find(|entry| accepts(&entry.record)) {
                    return entry.to_value();
                }
                kept.last
            };
            seen = seen.max(last);
            change.await;
        }
    }
}

impl<R> Kept<R> {
    /// The entries after a number. Numbers have no gaps, so the first one is found without a search.
    fn after(&self, number: u64) -> impl Iterator<Item = &Entry<R>> {
        let first = self.entries.front().map_or(0, |entry| entry.number);
        let before = number.saturating_add(1).saturating_sub(first);
        let known = usize::try_from(before).unwrap_or(usize::MAX);
        self.entries.range(known.min(self.entries.len())..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Record for String {
        fn heap_size(&self) -> usize {
            self.len()
        }

        fn to_map(&self) -> Map<String, Value> {
            Map::from_iter([("text".to_owned(), self.as_str().into())])
        }
    }

    const LIMIT: usize = 1 << 16;

    #[tokio::test]
    async fn a_record_is_found_now_or_when_it_comes() {
        let journal = Journal::new(LIMIT);
        let add = |text: &str| journal.add(|| text.to_owned());
        let is_a = |text: &String| text == "a";
        add("a");
        add("b");
        assert_eq!(journal.find(0, is_a).await["n"], 1);
        let (found, ()) = tokio::join!(journal.find(1, is_a), async {
            add("c");
            add("a");
        });
        assert_eq!(found["n"], 4);
        assert_eq!(journal.after(1)[0]["text"], "b");
    }

    #[test]
    fn the_oldest_records_are_dropped_and_the_numbers_go_on() {
        let journal = Journal::new(LIMIT);
        let long = "x".repeat(LIMIT / 4);
        for text in std::iter::repeat_n(long.as_str(), 20).chain(std::iter::repeat_n("", LIMIT)) {
            journal.add(|| text.to_owned());
            let kept = journal.kept();
            assert!(kept.bytes <= LIMIT);
            let bytes: usize = kept.entries.iter().map(Entry::size).sum();
            assert_eq!(kept.bytes, bytes);
        }
        let kept = journal.after(0);
        let first = kept[0]["n"].as_u64().unwrap();
        assert_eq!(first + kept.len() as u64, journal.last() + 1);
        assert_eq!(journal.after(journal.last() - 2).len(), 2);
        assert!(journal.after(u64::MAX - 1).is_empty());
    }

    #[test]
    fn without_a_controller_nothing_is_kept() {
        let journal = Journal::new(0);
        journal.add(|| String::from("a"));
        assert_eq!((journal.last(), journal.after(0)), (0, Vec::new()));
    }
}
