//! Signals to this program.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The signals that ask a program to end.
const ENDINGS: [fn() -> SignalKind; 3] = [
    SignalKind::interrupt,
    SignalKind::terminate,
    SignalKind::hangup,
];

/// Returns when a signal asks this program to end.
pub(super) async fn termination_requested() {
    let mut waits = tokio::task::JoinSet::new();
    for kind in ENDINGS {
        match signal(kind()) {
            Ok(mut signals) => {
                waits.spawn(async move { signals.recv().await });
            }
            Err(error) => tracing::warn!(%error, "a signal will not be noticed"),
        }
    }
    if waits.join_next().await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Ends the run when a signal asks for it.
pub(super) fn cancel_on_signal(cancel: watch::Sender<bool>) {
    tokio::spawn(async move {
        termination_requested().await;
        cancel.send_replace(true);
        // Whoever listens must not find the channel closed.
        cancel.closed().await;
    });
}
