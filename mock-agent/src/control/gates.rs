//! Gates: places in a reply that hold it until they are released, or until a timeout.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::Notify;

/// The gates of a process.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    /// The released gates. A released gate stays open.
    open: RefCell<HashSet<String>>,
    change: Notify,
}

impl Gates {
    /// Releases a gate, also for replies that reach it later.
    pub(crate) fn release(&self, name: &str) {
        self.open.borrow_mut().insert(name.to_owned());
        self.change.notify_waiters();
    }

    /// Holds until the gate is released or the timeout has passed. True if it was released.
    pub(crate) async fn hold(&self, name: &str, timeout: Duration) -> bool {
        let released = async {
            loop {
                let change = self.change.notified();
                if self.open.borrow().contains(name) {
                    return;
                }
                change.await;
            }
        };
        tokio::time::timeout(timeout, released).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test(start_paused = true)]
    async fn a_gate_holds_until_it_is_released_or_until_its_timeout() {
        let gates = Gates::default();
        assert!(!gates.hold("half", LONG).await);
        let (released, ()) = tokio::join!(gates.hold("half", LONG), async {
            gates.release("other");
            gates.release("half");
        });
        assert!(released);
        assert!(gates.hold("half", LONG).await, "it stays open");
    }
}
