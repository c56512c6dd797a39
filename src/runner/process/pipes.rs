//! The pipes of the agent's process: stdin is written from a queue, stdout and stderr are captured into the event queue.

use crate::framing::Framer;
use crate::runner::event_queue::{EventQueue, PipeStatus};
use crate::runner::limits;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::process::{ChildStderr, ChildStdin};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// Writes that wait for the agent to read them. Dropped, it closes stdin once they are written.
#[derive(Debug)]
pub(super) struct StdinWriter(mpsc::Sender<Vec<u8>>);

/// The agent has not read for so long that no more writes can wait.
#[derive(Debug)]
pub(crate) struct StdinFull;

impl StdinWriter {
    pub(super) fn serve(pipe: ChildStdin) -> Self {
        let (sender, writes) = mpsc::channel(limits::STDIN_WRITES);
        tokio::spawn(write_stdin(pipe, writes));
        StdinWriter(sender)
    }

    /// Queues a write of its own. An agent that has closed its stdin gets nothing and is no worse for it.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Result<(), StdinFull> {
        match self.0.try_send(bytes) {
            Ok(()) | Err(TrySendError::Closed(_)) => Ok(()),
            Err(TrySendError::Full(_)) => Err(StdinFull),
        }
    }
}

async fn write_stdin(mut pipe: ChildStdin, mut writes: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = writes.recv().await {
        if let Err(error) = pipe.write_all(&bytes).await {
            return tracing::debug!(%error, "the agent does not take what is sent");
        }
        tokio::task::yield_now().await;
    }
}

/// A pipe for a child's stdout: the end to read, and the end to hand over.
pub(super) fn stdout_pipe() -> io::Result<(Arc<Receiver>, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    Ok((Arc::new(reader), writer))
}

/// Empties the pipe whenever something lies in it, until its end.
pub(super) async fn read_stdout(pipe: Arc<Receiver>, queue: Arc<EventQueue>) {
    while pipe.readable().await.is_ok() {
        // What comes while the pipe is found empty must not be forgotten, so it is emptied inside `try_io`.
        let pumped = pipe.try_io(|| match queue.pump() {
            PipeStatus::Empty => Err(ErrorKind::WouldBlock.into()),
            other => Ok(other),
        });
        match pumped {
            Ok(PipeStatus::SuiteEnd) => return,
            Ok(_) => queue.room().await,
            Err(_) => {}
        }
    }
}

/// Reads until the end.
pub(super) async fn read_stderr(mut pipe: ChildStderr, queue: Arc<EventQueue>) {
    let mut framer = Framer::new(limits::STDERR_LINE);
    let mut buffer = vec![0; 16 << 10];
    let mut put = |line| queue.stderr(line);
    while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
        framer.push(&buffer[..length], &mut put);
    }
    framer.finish(&mut put);
}
