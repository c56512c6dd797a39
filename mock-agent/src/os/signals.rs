//! The signals that ask the agent to go.

use crate::faults::{Bug, Faults};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(crate) struct Signals([Signal; 3]);

impl Signals {
    /// Listens from now on.
    pub(crate) fn new() -> std::io::Result<Self> {
        let [term, int, hangup] = [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ]
        .map(signal);
        Ok(Signals([term?, int?, hangup?]))
    }

    /// Waits for one of them.
    pub(crate) async fn any(&mut self, faults: &Faults, busy: impl Fn() -> bool) {
        let [term, int, hangup] = &mut self.0;
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
                _ = hangup.recv() => {}
            }
            if !(faults.triggers(Bug::DeafToSigterm)
                || busy() && faults.triggers(Bug::DeafToSigtermInTool))
            {
                return;
            }
        }
    }
}
