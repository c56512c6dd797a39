//! Reading the agent's stdout into the inbox.

use crate::runner::inbox::{Inbox, Pumped};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::net::unix::pipe::Receiver;

/// A pipe for a child's stdout: the end to read, and the end to hand over.
pub(super) fn pipe() -> io::Result<(Arc<Receiver>, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    Ok((Arc::new(reader), writer))
}

/// Empties the pipe whenever something lies in it, until its end.
pub(super) async fn read(pipe: Arc<Receiver>, inbox: Arc<Inbox>) {
    while pipe.readable().await.is_ok() {
        // What comes while the pipe is found empty must not be forgotten, so it is emptied inside `try_io`.
        let pumped = pipe.try_io(|| match inbox.pump() {
            Pumped::Empty => Err(ErrorKind::WouldBlock.into()),
            other => Ok(other),
        });
        match pumped {
            Ok(Pumped::Ended) => return,
            Ok(_) => inbox.room().await,
            Err(_) => {}
        }
    }
}
