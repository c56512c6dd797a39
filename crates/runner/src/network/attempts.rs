//! The hosts outside of this machine that agents tried to reach.

use indexmap::IndexSet;
use std::sync::{Arc, Mutex, PoisonError};

/// How many hosts are kept.
const LIMIT: usize = 50;

/// The hosts that were tried so far, each once. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Attempts(Arc<Mutex<IndexSet<String>>>);

impl Attempts {
    /// Adds a host, with a port where that is known.
    pub(super) fn add(&self, host: String) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() < LIMIT {
            hosts.insert(host);
        }
    }

    /// The hosts in the order in which they were tried.
    pub(super) fn hosts(&self) -> Vec<String> {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().cloned().collect()
    }
}
