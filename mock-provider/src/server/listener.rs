//! The HTTP server of the scripted model: listens, accepts connections, shuts down.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};

use super::connection::ChunkedSocket;
use super::exchange::Socket;
use super::handler;
use super::journal::Journal;
use super::state::{Observer, ServerOptions, ServerState};
use crate::failure::ScriptFailure;
use crate::script::Script;

/// How long the server waits after a connection could not be accepted.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(5);

/// A running server. Dropping it closes every connection.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    state: Arc<ServerState>,
    stop: Option<oneshot::Sender<()>>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Listens at the address (port 0: any free port) and serves the script. Needs a tokio runtime.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn start(
        addr: SocketAddr,
        script: Script,
        options: ServerOptions,
    ) -> io::Result<(Server, Journal)> {
        let (sender, journal) = mpsc::unbounded_channel();
        // An entry is lost only if the journal has no reader any more.
        let observer = Observer::new(move |entry| drop(sender.send(entry)));
        Ok((Server::observed(addr, script, options, observer)?, journal))
    }

    /// The same, with an observer instead of a journal.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn observed(
        addr: SocketAddr,
        script: Script,
        options: ServerOptions,
        observer: Observer,
    ) -> io::Result<Server> {
        let listener = std::net::TcpListener::bind(addr)?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let listener = TcpListener::from_std(listener)?;
        let state = Arc::new(ServerState::new(script, options, observer));
        let (stop, stopped) = oneshot::channel();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state), stopped));
        Ok(Server {
            addr,
            state,
            stop: Some(stop),
            accepting,
        })
    }

    /// The address it listens at.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The base URL, without `/v1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Opens a gate permanently: for the answer that waits at it and for all later ones. False if no gate has this name.
    pub fn release(&self, gate: &str) -> bool {
        self.state.gates.release(gate)
    }

    /// The names of the gates of its scripts.
    #[must_use]
    pub fn gates(&self) -> BTreeSet<String> {
        self.state.gates.names()
    }

    /// Closes a gate again, for answers that come to it from now on.
    pub fn close_gate(&self, gate: &str) {
        self.state.gates.close(gate);
    }

    /// Serves another script from the next request on, with all of its gates closed. Answers that have begun go on.
    pub fn reset(&self, script: Script) {
        self.state.reset(script);
    }

    /// Serves only these replies of the script from the next request on, as often as they are left.
    pub fn limit(&self, open: Range<usize>) {
        self.state.model().model.limit(open);
    }

    /// Notes the texts of a command that the host sent to the agent, and whether it is a prompt. The model uses them to
    /// distinguish requests of the conversation from side requests, such as one for a title.
    pub fn note_command(&self, texts: Vec<String>, is_prompt: bool) {
        self.state.model().model.note_command(texts, is_prompt);
    }

    /// A failure for each reply that was not served as often as the script requires.
    #[must_use]
    pub fn unused(&self) -> Vec<ScriptFailure> {
        self.state.model().model.unused()
    }

    /// Closes the listener and every connection, and waits until they are closed. The journal ends after its last entry.
    pub async fn shutdown(mut self) {
        drop(self.stop.take());
        if let Err(error) = (&mut self.accepting).await {
            tracing::error!(%error, "the accepting task failed");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.closing.store(true, Ordering::Release);
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    state: Arc<ServerState>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(serve(stream, Arc::clone(&state)))),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
            },
        }
    }
    state.closing.store(true, Ordering::Release);
    connections.shutdown().await;
}

/// Serves the requests of one connection.
async fn serve(stream: TcpStream, state: Arc<ServerState>) {
    let socket = match stream.set_nodelay(true).and_then(|()| Socket::new(&stream)) {
        Ok(socket) => Arc::new(socket),
        Err(error) => return tracing::debug!(%error, "a connection closed at once"),
    };
    let service = hyper::service::service_fn(|request| {
        handler::handle(request, Arc::clone(&state), Arc::clone(&socket))
    });
    let served = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(ChunkedSocket::new(stream), service);
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection broke off");
    }
}
