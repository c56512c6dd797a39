//! The scripted model over HTTP.

mod exchange;
mod gates;
mod journal;
mod play;
mod reply;
mod route;
mod service;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};

use crate::failure::Failure;
use crate::model::Model;
use crate::script::Script;
use exchange::Socket;
use gates::Gates;

pub use journal::{Arrived, End, Entry, Event, Journal};
pub use route::Endpoint;

/// How a [`Server`] behaves beyond its script.
#[derive(Debug, Clone)]
pub struct Options {
    /// Goes into every derived id.
    pub seed: u64,
    /// Serves requests that carry no API key, as local servers do. The real APIs refuse them.
    pub keyless: bool,
    /// The largest body taken, in bytes.
    pub max_body: usize,
    /// Every gate stands open from the start: for a script that is served with nobody to release them.
    pub open_gates: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            keyless: false,
            max_body: 32 * 1024 * 1024,
            open_gates: false,
        }
    }
}

/// A running server. Dropping it closes every connection.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    accepting: JoinHandle<()>,
}

/// Hears of every entry of the journal at once: before the client can see what follows from it, so that an observer who looks at
/// the client's other traces finds them in the order of cause and effect. It runs on the server's threads and must not block.
pub struct Observer(Box<dyn Fn(Entry) + Send + Sync>);

impl Observer {
    /// An observer that calls this.
    pub fn new(hear: impl Fn(Entry) + Send + Sync + 'static) -> Self {
        Observer(Box::new(hear))
    }
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    options: Options,
    /// The model and the number of the next request, under one lock: the journal is in the order of the numbers.
    model: Mutex<(Model, u64)>,
    gates: Gates,
    observer: Observer,
    /// The server is closing its connections: an answer that ends now was not ended by the client.
    closing: AtomicBool,
}

impl Server {
    /// Listens at the address (port 0: any that is free) and serves the script. To be called inside a tokio runtime.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn start(
        addr: SocketAddr,
        script: Script,
        options: Options,
    ) -> io::Result<(Server, Journal)> {
        let (sender, journal) = mpsc::unbounded_channel();
        // Nobody listens any more: nothing to tell.
        let observer = Observer::new(move |entry| drop(sender.send(entry)));
        Ok((Server::observed(addr, script, options, observer)?, journal))
    }

    /// The same, with an observer instead of a journal to read.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub fn observed(
        addr: SocketAddr,
        script: Script,
        options: Options,
        observer: Observer,
    ) -> io::Result<Server> {
        let listener = TcpListener::bind(addr)?;
        listener.set_nonblocking(true)?;
        let (addr, listener) = (
            listener.local_addr()?,
            tokio::net::TcpListener::from_std(listener)?,
        );
        let gates = Gates::new(script.gates(), options.open_gates);
        let model = Mutex::new((Model::new(script, options.seed), 0));
        let shared = Arc::new(Shared {
            options,
            model,
            gates,
            observer,
            closing: AtomicBool::new(false),
        });
        let (stop, stopped) = oneshot::channel();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared), stopped));
        Ok(Server {
            addr,
            shared,
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

    /// Opens a gate for good: for an answer that waits at it and for one that comes to it later. False if there is no such gate.
    pub fn release(&self, gate: &str) -> bool {
        self.shared.gates.release(gate)
    }

    /// The host has said this to the agent: it tells the requests of the conversation from those beside it.
    pub fn hear(&self, text: &str) {
        self.shared.model().0.hear(text);
    }

    /// A failure for each reply that was not served as often as the script says.
    #[must_use]
    pub fn unused(&self) -> Vec<Failure> {
        self.shared.model().0.unused()
    }

    /// Closes the listener and every connection, and waits until they are closed. The journal ends behind the last entry.
    pub async fn shutdown(mut self) {
        drop(self.stop.take());
        if let Err(error) = (&mut self.accepting).await {
            tracing::error!(%error, "the accepting task failed");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        self.accepting.abort();
    }
}

impl Shared {
    fn model(&self) -> std::sync::MutexGuard<'_, (Model, u64)> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, event: Event) {
        (self.observer.0)(Entry::now(event));
    }
}

async fn accept(
    listener: tokio::net::TcpListener,
    shared: Arc<Shared>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(serve(stream, Arc::clone(&shared)))),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            },
        }
    }
    shared.closing.store(true, Ordering::Release);
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let socket = match stream.set_nodelay(true).and_then(|()| Socket::of(&stream)) {
        Ok(socket) => Arc::new(socket),
        Err(error) => return tracing::debug!(%error, "a connection was gone at once"),
    };
    let service = hyper::service::service_fn(|request| {
        service::handle(request, Arc::clone(&shared), Arc::clone(&socket))
    });
    let served = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection broke off");
    }
}
