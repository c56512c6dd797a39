//! Connections of tests: one request a line, and a response to each, in order.

use crate::protocol::{Command, Request, Response};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// A command of a test, and the receiver of its outcome.
#[derive(Debug)]
pub struct Incoming {
    /// The command.
    pub command: Command,
    /// The receiver of the outcome.
    pub reply: Reply,
}

/// The receiver of the outcome of a command. It may be gone before the outcome is sent.
#[derive(Debug)]
pub struct Reply {
    outcome: oneshot::Sender<(Outcome, Option<OwnedSemaphorePermit>)>,
    responses: Responses,
    due: Option<OwnedSemaphorePermit>,
}

/// The responses that are being sent to their clients.
#[derive(Debug, Clone)]
pub struct Responses(Arc<Semaphore>);

impl Default for Responses {
    fn default() -> Self {
        Responses(Arc::new(Semaphore::new(MAX_CONNECTIONS)))
    }
}

impl Responses {
    /// Waits until they have arrived. Await this before the process ends, because a command may end it.
    pub async fn sent(&self) {
        let all = self.0.acquire_many(MAX_CONNECTIONS as u32);
        let _ = tokio::time::timeout(END_TIMEOUT, all).await;
    }

    fn due(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_owned().ok()
    }
}

/// The result of a command, or the reason of its refusal.
pub type Outcome = Result<Value, String>;

impl Reply {
    /// From here on the process waits for the outcome before it ends.
    pub fn hold(&mut self) {
        self.due = self.responses.due();
    }

    /// Sends the outcome of a command. The command is dropped if the client goes away before.
    pub async fn with(mut self, outcome: impl Future<Output = Outcome>) {
        tokio::select! {
            outcome = outcome => {
                let due = self.due.or_else(|| self.responses.due());
                drop(self.outcome.send((outcome, due)));
            }
            () = self.outcome.closed() => {}
        }
    }
}

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 128;

/// The longest request, in bytes.
const MAX_LINE: u64 = 16 << 20;

/// The timeout for a client that does not read its responses.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout for responses when the process ends.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// How often it is checked whether a client that waits is still there.
const CLIENT_INTERVAL: Duration = Duration::from_millis(100);

/// State that the connections share.
pub(crate) struct Connections {
    commands: UnboundedSender<Incoming>,
    token: Option<String>,
    slots: Semaphore,
    pub(crate) responses: Responses,
}

impl Connections {
    /// Connections that pass their commands on; the first request of each needs the token, if there is one.
    pub(crate) fn new(commands: UnboundedSender<Incoming>, token: Option<String>) -> Arc<Self> {
        Arc::new(Connections {
            commands,
            token,
            slots: Semaphore::new(MAX_CONNECTIONS),
            responses: Responses::default(),
        })
    }

    /// Serves a connection until its client goes away. `socket` is the same connection.
    pub(crate) async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        socket: OwnedFd,
    ) {
        let (input, mut output) = tokio::io::split(stream);
        let served = match self.slots.try_acquire() {
            Ok(_slot) => {
                self.requests(BufReader::new(input), &mut output, &socket)
                    .await
            }
            Err(_) => {
                let why = format!("more than {MAX_CONNECTIONS} control connections");
                respond(&mut output, Value::Null, Err(why)).await
            }
        };
        if let Err(error) = served {
            tracing::info!("a control connection broke off: {error}");
        }
    }

    /// Serves the requests of a connection, one after the other.
    async fn requests(
        &self,
        mut input: impl AsyncBufReadExt + Unpin,
        output: &mut (impl AsyncWrite + Unpin),
        socket: &OwnedFd,
    ) -> io::Result<()> {
        let mut is_known = self.token.is_none();
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut input).take(MAX_LINE);
            let length = bounded.read_until(b'\n', &mut line).await?;
            if length == 0 {
                return Ok(());
            }
            if length as u64 == MAX_LINE {
                let why = format!("a request is longer than {MAX_LINE} bytes");
                return respond(output, Value::Null, Err(why)).await;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let request: Request = match serde_json::from_slice(&line) {
                Ok(request) => request,
                Err(error) => {
                    let why = format!("not a request: {error}");
                    respond(output, Value::Null, Err(why)).await?;
                    continue;
                }
            };
            is_known |= request.token == self.token;
            if !is_known {
                let why = "the first request needs the token of the process".to_owned();
                return respond(output, request.id, Err(why)).await;
            }
            tokio::select! {
                biased;
                (outcome, _due) = self.outcome(request.command) => respond(output, request.id, outcome).await?,
                () = gone(socket) => return Ok(()),
            }
        }
    }

    async fn outcome(&self, command: Command) -> (Outcome, Option<OwnedSemaphorePermit>) {
        let (sender, outcome) = oneshot::channel();
        let reply = Reply {
            outcome: sender,
            responses: self.responses.clone(),
            due: None,
        };
        let ending = || (Err("the process is ending".to_owned()), None);
        match self.commands.send(Incoming { command, reply }) {
            Ok(()) => outcome.await.unwrap_or_else(|_| ending()),
            Err(_) => ending(),
        }
    }
}

async fn respond(
    output: &mut (impl AsyncWrite + Unpin),
    id: Value,
    outcome: Outcome,
) -> io::Result<()> {
    let mut line = serde_json::to_string(&Response::new(id, outcome))?;
    line.push('\n');
    let written = tokio::time::timeout(WRITE_TIMEOUT, output.write_all(line.as_bytes())).await;
    written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Waits until the client has closed the connection.
async fn gone(socket: &OwnedFd) {
    let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    #[cfg(target_os = "linux")]
    let closed = closed | PollFlags::RDHUP;
    loop {
        tokio::time::sleep(CLIENT_INTERVAL).await;
        let mut polled = [PollFd::from_borrowed_fd(socket.as_fd(), closed)];
        let found = poll(&mut polled, Some(&Timespec::default()));
        if found.is_ok() && polled[0].revents().intersects(closed) {
            return;
        }
    }
}
