//! Gates: places in a reply that hold it until they are released, or until a timeout.

use super::journal::{Journal, Recorded};
use crate::os::until;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// The gates of a process.
#[derive(Debug)]
pub(crate) struct Gates {
    /// The released gates. A released gate stays open.
    open: RefCell<HashSet<String>>,
    /// How many replies each gate holds.
    held: RefCell<BTreeMap<String, usize>>,
    /// Those of the script, and others that have held a reply; `None` if prompts alone name gates.
    known: RefCell<Option<BTreeSet<String>>>,
    change: Notify,
    journal: Rc<Journal>,
}

/// A reply that a gate holds; dropped when it goes on or is stopped.
struct Held<'a> {
    gates: &'a Gates,
    name: &'a str,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut held = self.gates.held.borrow_mut();
        if let Some(count) = held.get_mut(self.name) {
            *count -= 1;
            if *count == 0 {
                held.remove(self.name);
            }
        }
    }
}

impl Gates {
    /// Gates whose events go into a journal.
    pub(crate) fn new(journal: Rc<Journal>) -> Self {
        Gates {
            open: RefCell::default(),
            held: RefCell::default(),
            known: RefCell::default(),
            change: Notify::new(),
            journal,
        }
    }

    fn record(&self, name: &str, state: &'static str) {
        self.journal.add(|| Recorded::Gate(name.into(), state));
    }

    /// Sets the gates of the script that is played from now on.
    pub(crate) fn set_script(&self, gates: Option<BTreeSet<String>>) {
        *self.known.borrow_mut() = gates;
    }

    /// Why no reply can reach a gate; `None` if one may.
    pub(crate) fn why_not(&self, name: &str) -> Option<String> {
        let all = self.known.borrow();
        let known = all.as_ref().filter(|known| !known.contains(name))?;
        if self.held.borrow().contains_key(name) {
            return None;
        }
        let names: Vec<_> = known.iter().map(String::as_str).collect();
        Some(if names.is_empty() {
            format!("the script has no gate, and none is called `{name}`")
        } else {
            format!(
                "the script has no gate `{name}`; its gates: {}",
                names.join(", ")
            )
        })
    }

    /// Releases a gate, also for replies that reach it later.
    pub(crate) fn release(&self, name: &str) {
        self.open.borrow_mut().insert(name.to_owned());
        self.record(name, "released");
        self.change.notify_waiters();
    }

    /// Closes every gate again.
    pub(crate) fn close_all(&self) {
        self.open.borrow_mut().clear();
    }

    /// Holds until the gate is released or the timeout has passed.
    pub(crate) async fn hold(&self, name: &str, timeout: Duration) {
        if self.open.borrow().contains(name) {
            return;
        }
        *self.held.borrow_mut().entry(name.to_owned()).or_default() += 1;
        if let Some(known) = &mut *self.known.borrow_mut() {
            known.insert(name.to_owned());
        }
        let held = Held { gates: self, name };
        self.record(name, "holds");
        self.change.notify_waiters();
        let is_open = || self.open.borrow().contains(name);
        let released = tokio::time::timeout(timeout, until(&self.change, is_open)).await;
        drop(held);
        if released.is_err() {
            self.record(name, "timeout");
            tracing::info!("the gate {name} was not released within {timeout:?}");
        }
    }

    /// Waits until a reply is held at a gate.
    pub(crate) async fn reached(&self, name: &str) {
        until(&self.change, || self.held.borrow().contains_key(name)).await;
    }

    /// The gates that hold a reply now.
    pub(crate) fn holding(&self) -> Vec<String> {
        self.held.borrow().keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn a_reply_that_is_stopped_at_a_gate_no_longer_counts() {
        let gates = Gates::new(Rc::new(Journal::new(0)));
        let short = Duration::from_millis(1);
        let stopped = tokio::time::timeout(short, gates.hold("half", LONG)).await;
        assert!(stopped.is_err());
        assert_eq!(gates.holding(), Vec::<String>::new());
    }
}
