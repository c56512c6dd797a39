//! Signal handler: SIGTERM, SIGINT and SIGHUP, which ask the agent to shut down.

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(crate) const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;

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

    /// Waits for the next signal; returns its number.
    pub(crate) async fn next(&mut self) -> u8 {
        let [term, int, hangup] = &mut self.0;
        tokio::select! {
            _ = term.recv() => SIGTERM,
            _ = int.recv() => SIGINT,
            _ = hangup.recv() => SIGHUP,
        }
    }
}
