//! The edge to the operating system: standard input and output, signals, time.

pub(crate) mod clock;
pub(crate) mod signals;
pub(crate) mod stdin;
pub(crate) mod stdout;

use tokio::sync::Notify;

/// Waits until a condition holds, which is checked after each change.
pub(crate) async fn until(change: &Notify, done: impl Fn() -> bool) {
    loop {
        let next = change.notified();
        if done() {
            return;
        }
        next.await;
    }
}
