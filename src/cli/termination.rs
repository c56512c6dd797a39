//! Graceful shutdown of conform itself: cancels the run on SIGINT, SIGTERM or SIGHUP, and kills stray processes at the end.

use super::output;
use conform_runner::{StrayProcess, kill_stray_processes};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The signals that request termination.
const TERMINATION_SIGNALS: [fn() -> SignalKind; 3] = [
    SignalKind::interrupt,
    SignalKind::terminate,
    SignalKind::hangup,
];

/// Returns when a signal requests termination. Signals are waited for from the call on, before the first poll.
pub(super) fn termination_requested() -> impl Future<Output = ()> {
    let mut waits = tokio::task::JoinSet::new();
    for kind in TERMINATION_SIGNALS {
        match signal(kind()) {
            Ok(mut signals) => {
                waits.spawn(async move { signals.recv().await });
            }
            Err(error) => tracing::warn!(%error, "cannot wait for a signal"),
        }
    }
    async move {
        if waits.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// Cancels the run when a signal requests termination.
pub(super) fn cancel_on_signal(cancel: watch::Sender<bool>) {
    tokio::spawn(async move {
        termination_requested().await;
        cancel.send_replace(true);
        // The channel must stay open for its receivers.
        cancel.closed().await;
    });
}

/// Kills the processes that agents have left running, at the end of a run, and warns about each.
pub(super) fn kill_strays() {
    /// At most this many scenarios that ran at the same time are named.
    const NAMED: usize = 3;
    for StrayProcess {
        command_line,
        began_during,
    } in kill_stray_processes()
    {
        let during = match &began_during[..] {
            [] => String::new(),
            some @ [_, ..] if some.len() <= NAMED => {
                format!(", which began during {}", some.join(", "))
            }
            some => format!(
                ", which began while {} scenarios were played; `--jobs 1` shows which",
                some.len()
            ),
        };
        output::warning(format_args!(
            "a stray process of an agent was killed: `{command_line}`{during}"
        ));
    }
}
