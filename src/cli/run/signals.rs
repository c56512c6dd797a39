//! What ends a run early.

use crate::cli::signals::asked_to_end;
use tokio::sync::watch;

/// Ends the run when a signal asks for it.
pub(super) fn watch(cancel: watch::Sender<bool>) {
    tokio::spawn(async move {
        asked_to_end().await;
        cancel.send_replace(true);
        // Whoever listens must not find the channel closed.
        cancel.closed().await;
    });
}
