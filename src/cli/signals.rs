//! Signals to this program.

use tokio::signal::unix::{SignalKind, signal};

/// The signals that ask a program to end.
const ENDINGS: [fn() -> SignalKind; 3] = [
    SignalKind::interrupt,
    SignalKind::terminate,
    SignalKind::hangup,
];

/// Returns when a signal asks this program to end.
pub(super) async fn asked_to_end() {
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
