//! Writing to the agent, which need not read.

use crate::runner::limits;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Writes that wait for the agent to read them. Dropped, it closes stdin once they are written.
#[derive(Debug)]
pub(super) struct Stdin(mpsc::Sender<Vec<u8>>);

/// The agent has not read for so long that no more writes can wait.
#[derive(Debug)]
pub(in crate::runner) struct Clogged;

impl Stdin {
    pub(super) fn serve(pipe: ChildStdin) -> Self {
        let (sender, writes) = mpsc::channel(limits::STDIN_WRITES);
        tokio::spawn(write(pipe, writes));
        Stdin(sender)
    }

    /// Queues a write of its own. An agent that has closed its stdin gets nothing and is no worse for it.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Result<(), Clogged> {
        match self.0.try_send(bytes) {
            Ok(()) | Err(TrySendError::Closed(_)) => Ok(()),
            Err(TrySendError::Full(_)) => Err(Clogged),
        }
    }
}

async fn write(mut pipe: ChildStdin, mut writes: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = writes.recv().await {
        if let Err(error) = pipe.write_all(&bytes).await {
            return tracing::debug!(%error, "the agent does not take what is sent");
        }
        tokio::task::yield_now().await;
    }
}
