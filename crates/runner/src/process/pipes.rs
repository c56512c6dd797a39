//! The pipes of the agent's process: stdin is written from a queue, stdout and stderr are captured into the event queue.

use crate::event_queue::{EventQueue, PipeStatus};
use crate::limits;
use conform_judge::framing::Framer;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::process::{ChildStderr, ChildStdin};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// The queue of writes to the agent's stdin. When it is dropped, stdin is closed once everything in it is written.
#[derive(Debug)]
pub(super) struct StdinWriter(mpsc::Sender<Vec<u8>>);

/// The error of a write while too many writes wait for the agent to read them.
#[derive(Debug)]
pub(crate) struct StdinFull;

impl StdinWriter {
    pub(super) fn new(pipe: ChildStdin) -> Self {
        let (sender, writes) = mpsc::channel(limits::STDIN_WRITES);
        tokio::spawn(write_stdin(pipe, writes));
        StdinWriter(sender)
    }

    /// Queues one write. Nothing is written to an agent that has closed its stdin, and that is not an error.
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
            return tracing::debug!(%error, "cannot write to stdin of the agent");
        }
        tokio::task::yield_now().await;
    }
}

/// A pipe for a child's stdout: the end to read from, and the end that the child gets.
pub(super) fn stdout_pipe() -> io::Result<(Arc<Receiver>, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    Ok((Arc::new(reader), writer))
}

/// Captures stdout: reads the pipe into the event queue whenever it has data, until its end.
pub(super) async fn read_stdout(pipe: Arc<Receiver>, queue: Arc<EventQueue>) {
    while pipe.readable().await.is_ok() {
        // Data that arrives between a read and the next wait would be missed outside of `try_io`.
        let status = pipe.try_io(|| match queue.read_stdout() {
            PipeStatus::Empty => Err(ErrorKind::WouldBlock.into()),
            other => Ok(other),
        });
        match status {
            Ok(PipeStatus::Ended) => return,
            Ok(_) => queue.wait_for_space().await,
            Err(_) => {}
        }
    }
}

/// Captures stderr: reads its lines into the event queue until its end.
pub(super) async fn read_stderr(mut pipe: ChildStderr, queue: Arc<EventQueue>) {
    let mut framer = Framer::new(limits::STDERR_LINE);
    let mut buffer = vec![0; 16 << 10];
    let mut put = |line| queue.add_stderr(line);
    while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
        framer.push(&buffer[..length], &mut put);
    }
    framer.finish(&mut put);
}
