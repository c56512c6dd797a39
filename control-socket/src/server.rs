//! The server of a process that is controlled: a thread that accepts, and a thread for each connection.

use crate::address::ControlAddress;
use crate::protocol::{Command, Request, Response};
use crate::registry::{Registered, register};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// A command of a test, and where its outcome goes.
#[derive(Debug)]
pub struct Incoming {
    /// The command.
    pub command: Command,
    /// The result or the reason of the refusal. Nobody may be there any more to read it.
    pub reply: oneshot::Sender<Result<Value, String>>,
}

/// A registered process. Dropping it removes the socket; the registration stays, so that numbers are not used again.
#[derive(Debug)]
pub struct ControlServer {
    socket: Option<PathBuf>,
    /// The number of the process in its folder.
    pub order: u64,
}

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 32;

/// The longest request, in bytes.
const MAX_LINE: u64 = 16 << 20;

/// The timeout for a client that does not read its responses.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The bytes of a token.
const TOKEN_BYTES: usize = 16;

/// A connection of either kind.
trait Connection: Read + Write + Send + Sized + 'static {
    fn prepare(&self) -> io::Result<Self>;
}

impl Connection for UnixStream {
    fn prepare(&self) -> io::Result<Self> {
        self.set_write_timeout(Some(WRITE_TIMEOUT))?;
        self.try_clone()
    }
}

impl Connection for TcpStream {
    fn prepare(&self) -> io::Result<Self> {
        self.set_write_timeout(Some(WRITE_TIMEOUT))?;
        self.set_nodelay(true)?;
        self.try_clone()
    }
}

impl ControlServer {
    /// Listens, and registers the process under a name.
    ///
    /// # Errors
    /// The folder cannot be written, or the socket cannot be bound.
    pub fn start(
        address: &ControlAddress,
        name: &str,
    ) -> io::Result<(Self, UnboundedReceiver<Incoming>)> {
        let mut builder = std::fs::DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o700)
            .create(&address.folder)?;
        let folder = address.folder.canonicalize()?;
        let (sender, receiver) = unbounded_channel();
        let pid = std::process::id();
        let (socket, shown, token) = if address.is_port {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let shown = format!("tcp:{}", listener.local_addr()?);
            let token = token()?;
            let shared = Shared::new(sender, Some(token.clone()));
            accept(move || listener.accept().map(|(stream, _)| stream), shared);
            (None, shown, Some(token))
        } else {
            let path = folder.join(format!("{pid}.sock"));
            let listener = bind_private(&path)?;
            accept(
                move || listener.accept().map(|(stream, _)| stream),
                Shared::new(sender, None),
            );
            let shown = format!("unix:{}", path.display());
            (Some(path), shown, None)
        };
        let process = Registered {
            order: 0,
            name: name.to_owned(),
            pid,
            address: shown,
            token,
        };
        let order = register(&folder, process)?;
        Ok((ControlServer { socket, order }, receiver))
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        if let Some(path) = &self.socket {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Binds a Unix socket of mode 0600.
fn bind_private(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(path);
    rustix::process::umask(mask);
    listener.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

/// What the connections share.
struct Shared {
    commands: UnboundedSender<Incoming>,
    token: Option<String>,
    connections: AtomicUsize,
}

impl Shared {
    fn new(commands: UnboundedSender<Incoming>, token: Option<String>) -> Arc<Self> {
        Arc::new(Shared {
            commands,
            token,
            connections: AtomicUsize::new(0),
        })
    }
}

/// Accepts connections in a thread, until the process ends.
fn accept<C: Connection>(next: impl Fn() -> io::Result<C> + Send + 'static, shared: Arc<Shared>) {
    std::thread::spawn(move || {
        loop {
            let stream = match next() {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::warn!("a control connection was not accepted: {error}");
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                }
            };
            let shared = Arc::clone(&shared);
            if shared.connections.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
                let mut stream = stream;
                let why = format!("more than {MAX_CONNECTIONS} control connections");
                let _ = respond(&mut stream, Value::Null, Err(why));
                shared.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            std::thread::spawn(move || {
                if let Err(error) = serve(stream, &shared) {
                    tracing::info!("a control connection broke off: {error}");
                }
                shared.connections.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
}

/// Serves the requests of a connection, one after the other.
fn serve<C: Connection>(stream: C, shared: &Shared) -> io::Result<()> {
    let mut output = stream.prepare()?;
    let mut input = BufReader::new(stream);
    let mut is_known = shared.token.is_none();
    loop {
        let mut line = Vec::new();
        let length = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(());
        }
        if length as u64 == MAX_LINE {
            let why = format!("a request is longer than {MAX_LINE} bytes");
            return respond(&mut output, Value::Null, Err(why));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let request: Request = match serde_json::from_slice(&line) {
            Ok(request) => request,
            Err(error) => {
                let why = format!("not a request: {error}");
                respond(&mut output, Value::Null, Err(why))?;
                continue;
            }
        };
        is_known |= request.token == shared.token;
        if !is_known {
            let why = "the first request needs the token of the process".to_owned();
            return respond(&mut output, request.id, Err(why));
        }
        let (reply, outcome) = oneshot::channel();
        let command = request.command;
        let gone = || Err("the process is ending".to_owned());
        let outcome = match shared.commands.send(Incoming { command, reply }) {
            Ok(()) => outcome.blocking_recv().unwrap_or_else(|_| gone()),
            Err(_) => gone(),
        };
        respond(&mut output, request.id, outcome)?;
    }
}

fn respond(output: &mut impl Write, id: Value, outcome: Result<Value, String>) -> io::Result<()> {
    let mut line = serde_json::to_string(&Response::of(id, outcome))?;
    line.push('\n');
    output.write_all(line.as_bytes())
}
