//! The server of a process that is controlled: a thread that accepts and serves all connections.

use crate::connection::{Connections, Incoming, Responses};
use crate::registry::{ControlAddress, Registered, create_private, register, registered};
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A registered process. Dropping it removes the socket; the registration stays, so that numbers are not used again.
#[derive(Debug)]
pub struct ControlServer {
    socket: Option<PathBuf>,
    /// The number of the process in its folder.
    pub order: u64,
    /// Its responses.
    pub responses: Responses,
}

/// The random bytes of a token.
const TOKEN_BYTES: usize = 16;

/// The random bytes in the name of a socket.
const SUFFIX_BYTES: usize = 3;

/// The pause after a connection could not be accepted, such as for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl ControlServer {
    /// Listens, and registers the process under a name.
    ///
    /// # Errors
    /// The folder cannot be written, or the socket cannot be bound.
    pub fn start(
        address: &ControlAddress,
        name: &str,
    ) -> io::Result<(Self, UnboundedReceiver<Incoming>)> {
        create_private(&address.folder)?;
        let folder = address.folder.canonicalize()?;
        remove_left_sockets(&folder);
        let (sender, receiver) = unbounded_channel();
        let pid = std::process::id();
        let token = address.is_port.then(|| random(TOKEN_BYTES)).transpose()?;
        let connections = Connections::new(sender, token.clone());
        let responses = connections.responses.clone();
        let (socket, shown) = if address.is_port {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let shown = format!("tcp:{}", listener.local_addr()?);
            listener.set_nonblocking(true)?;
            serve(
                || tokio::net::TcpListener::from_std(listener).map(Listener::Port),
                connections,
            )?;
            (None, shown)
        } else {
            // The number of an earlier process can come back.
            let path = folder.join(format!("{pid}-{}.sock", random(SUFFIX_BYTES)?));
            let listener = bind_private(&path)?;
            listener.set_nonblocking(true)?;
            serve(
                || tokio::net::UnixListener::from_std(listener).map(Listener::Unix),
                connections,
            )?;
            let shown = format!("unix:{}", path.display());
            (Some(path), shown)
        };
        let process = Registered {
            order: 0,
            name: name.to_owned(),
            pid,
            address: shown,
            token,
        };
        let order = register(&folder, process)?;
        let server = ControlServer {
            socket,
            order,
            responses,
        };
        Ok((server, receiver))
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        if let Some(path) = &self.socket {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Removes the sockets of processes that were killed.
fn remove_left_sockets(folder: &Path) {
    for process in registered(folder) {
        if let Some(path) = process.left_socket() {
            // Another process may have removed it.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Binds a Unix socket of mode 0600.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(path);
    rustix::process::umask(mask);
    listener.map_err(|error| {
        let path = path.display();
        let message = match error.kind() {
            io::ErrorKind::InvalidInput => format!(
                "{path} is too long for the path of a Unix socket: name a folder with a shorter path, or tcp:DIR"
            ),
            _ => format!("{path}: {error}"),
        };
        io::Error::new(error.kind(), message)
    })
}

/// Random bytes as hexadecimal digits.
fn random(count: usize) -> io::Result<String> {
    let mut bytes = vec![0; count];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

/// A listener of either kind.
enum Listener {
    Unix(tokio::net::UnixListener),
    Port(tokio::net::TcpListener),
}

impl Listener {
    /// Accepts a connection and serves it in a task of its own.
    async fn accept(&self, connections: &Arc<Connections>) -> io::Result<()> {
        let connections = Arc::clone(connections);
        match self {
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                let socket = stream.as_fd().try_clone_to_owned()?;
                tokio::spawn(connections.serve(stream, socket));
            }
            Listener::Port(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let socket = stream.as_fd().try_clone_to_owned()?;
                tokio::spawn(connections.serve(stream, socket));
            }
        }
        Ok(())
    }
}

/// Accepts and serves connections in a thread, until the process ends.
fn serve(
    listener: impl FnOnce() -> io::Result<Listener>,
    connections: Arc<Connections>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = {
        let _inside = runtime.enter();
        listener()?
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            loop {
                if let Err(error) = listener.accept(&connections).await {
                    tracing::warn!("a control connection was not accepted: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        });
    });
    Ok(())
}
