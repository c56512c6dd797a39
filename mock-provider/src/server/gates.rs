//! Gates: points in an answer where the response waits until a test releases them.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// All gates of a script.
#[derive(Debug)]
pub(super) struct Gates {
    known: Mutex<HashSet<String>>,
    /// The open gates. An open gate stays open unless it is closed again.
    open: watch::Sender<HashSet<String>>,
}

impl Gates {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, all_open: bool) -> Self {
        let known = names.map(str::to_owned).collect::<HashSet<_>>();
        let open = if all_open {
            known.clone()
        } else {
            HashSet::new()
        };
        Gates {
            known: Mutex::new(known),
            open: watch::Sender::new(open),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashSet<String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes every gate again, and adds those of another script. The earlier ones are still known: an answer may wait at one.
    pub(super) fn reset<'a>(&self, names: impl Iterator<Item = &'a str>) {
        self.known().extend(names.map(str::to_owned));
        self.open.send_replace(HashSet::new());
    }

    /// The names of all gates.
    pub(super) fn names(&self) -> BTreeSet<String> {
        self.known().iter().cloned().collect()
    }

    /// Opens a gate. False if there is none of this name.
    pub(super) fn release(&self, name: &str) -> bool {
        let known = self.known().contains(name);
        if known {
            self.open.send_modify(|open| {
                open.insert(name.to_owned());
            });
        }
        known
    }

    /// Closes a gate again, for answers that come to it from now on.
    pub(super) fn close(&self, name: &str) {
        self.open.send_modify(|open| {
            open.remove(name);
        });
    }

    /// Whether a gate is open.
    pub(super) fn is_open(&self, name: &str) -> bool {
        self.open.borrow().contains(name)
    }

    /// Waits until a gate is open.
    pub(super) async fn wait(&self, name: &str) {
        // The sender is in `self`, so the channel cannot be closed here.
        drop(
            self.open
                .subscribe()
                .wait_for(|open| open.contains(name))
                .await,
        );
    }
}
