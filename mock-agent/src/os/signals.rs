//! Signal handler: SIGTERM, SIGINT and SIGHUP, which ask the agent to shut down.

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(crate) struct ShutdownSignals([Signal; 3]);

impl ShutdownSignals {
    /// Installs the handlers.
    ///
    /// # Errors
    /// The system refuses one of them.
    pub(crate) fn new() -> std::io::Result<Self> {
        let [term, int, hangup] = [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ]
        .map(signal);
        Ok(ShutdownSignals([term?, int?, hangup?]))
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        let [term, int, hangup] = &mut self.0;
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
