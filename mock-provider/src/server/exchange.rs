//! An HTTP exchange: one request and its response, until its end is in the journal.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use tokio::net::TcpStream;

use super::journal::{ExchangeEnd, JournalEvent};
use super::state::ServerState;
use crate::answer::AnswerMessage;

/// A second handle of a connection's socket, to inspect and reset it while hyper owns the first.
#[derive(Debug)]
pub(super) struct Socket(std::net::TcpStream);

impl Socket {
    pub(super) fn new(stream: &TcpStream) -> io::Result<Self> {
        Ok(Socket(stream.as_fd().try_clone_to_owned()?.into()))
    }

    /// Turns the next close into a reset (TCP RST).
    pub(super) fn reset_on_close(&self) {
        if let Err(error) = set_socket_linger(&self.0, Some(Duration::ZERO)) {
            tracing::debug!(%error, "a connection cannot be reset");
        }
    }

    /// Whether the client has closed its side.
    fn is_closed(&self) -> bool {
        match self.0.peek(&mut [0]) {
            Ok(bytes) => bytes == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }
}

/// An exchange. If it is dropped before its end, the journal records that the client disconnected.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) shared: Arc<ServerState>,
    pub(super) socket: Arc<Socket>,
    pub(super) n: u64,
    status: u16,
    reply: Option<usize>,
    /// The message of the answer.
    pub(super) message: Option<AnswerMessage>,
    /// HTTP allows no body in this response.
    pub(super) bodiless: bool,
    /// The client asks for an array of documents.
    pub(super) is_array: bool,
    open: bool,
}

impl Exchange {
    pub(super) fn new(
        shared: Arc<ServerState>,
        socket: Arc<Socket>,
        n: u64,
        reply: Option<usize>,
    ) -> Self {
        Exchange {
            shared,
            socket,
            n,
            status: 200,
            reply,
            message: None,
            bodiless: false,
            is_array: false,
            open: true,
        }
    }

    /// Sets the HTTP status of the response.
    pub(super) fn set_status(&mut self, status: u16) {
        self.status = status;
        self.bodiless |= status == 304;
    }

    /// Adds the end to the journal, once.
    pub(super) fn end(&mut self, end: ExchangeEnd) {
        if std::mem::replace(&mut self.open, false) {
            if end != ExchangeEnd::Complete {
                self.shared.model().model.mark_unanswered(self.n);
            }
            self.shared.record(JournalEvent::Reply {
                n: self.n,
                status: self.status,
                reply: self.reply,
                message: self
                    .message
                    .take()
                    .filter(|_| end == ExchangeEnd::Complete)
                    .map(Arc::new),
                end,
            });
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let by_us = self.shared.closing.load(Ordering::Acquire) && !self.socket.is_closed();
        self.end(if by_us {
            ExchangeEnd::Cut
        } else {
            ExchangeEnd::ClientClosed
        });
    }
}
