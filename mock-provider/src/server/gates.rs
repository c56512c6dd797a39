//! Gates: points in an answer that wait to be released.

use std::collections::HashSet;

use tokio::sync::watch;

/// All gates of a script.
#[derive(Debug)]
pub(super) struct Gates {
    known: HashSet<String>,
    /// The gates that are open. A gate once open stays open.
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
            known,
            open: watch::Sender::new(open),
        }
    }

    /// Opens a gate. False if there is none of this name.
    pub(super) fn release(&self, name: &str) -> bool {
        let known = self.known.contains(name);
        if known {
            self.open.send_modify(|open| {
                open.insert(name.to_owned());
            });
        }
        known
    }

    /// Whether a gate is open.
    pub(super) fn is_open(&self, name: &str) -> bool {
        self.open.borrow().contains(name)
    }

    /// Returns when a gate is open.
    pub(super) async fn pass(&self, name: &str) {
        // The sender lives in `self`, so that the channel cannot be closed here.
        drop(
            self.open
                .subscribe()
                .wait_for(|open| open.contains(name))
                .await,
        );
    }
}
