//! The MCP servers of a scenario: each is a command in the sandbox, which runs this program as the server of its script. What reaches them
//! comes back over a socket, and is queued before it is answered.

use super::event_queue::{EventQueue, SessionEvent};
use super::sandbox::Sandbox;
use conform_judge::frame::{Body, Frame, McpEvent};
use indexmap::IndexMap;
use mcp_server::Received;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::{JoinHandle, JoinSet};

/// The command of this program that is an MCP server.
const COMMAND: &str = "mcp";

/// The most bytes that all servers of a scenario report. Beyond that they lose their connection, and end.
const REPORT_LIMIT: usize = 64 << 20;

/// The variables that the agent has itself.
type AgentEnvironment = Arc<Mutex<HashSet<(OsString, OsString)>>>;

/// The MCP servers of a scenario. When they are dropped, nothing more is reported.
#[derive(Debug)]
pub(crate) struct McpServers {
    commands: IndexMap<String, PathBuf>,
    agent_environment: AgentEnvironment,
    listening: Option<JoinHandle<()>>,
}

impl McpServers {
    /// Writes the commands into the sandbox, and listens for what reaches the servers.
    ///
    /// # Errors
    /// A file cannot be written, or the socket cannot be bound.
    pub(crate) fn start(
        scripts: &IndexMap<String, Value>,
        sandbox: &Sandbox,
        queue: &Arc<EventQueue>,
    ) -> io::Result<Self> {
        let mut servers = McpServers {
            commands: IndexMap::new(),
            agent_environment: Arc::default(),
            listening: None,
        };
        if scripts.is_empty() {
            return Ok(servers);
        }
        let (script, socket) = (sandbox.file("mcp.json"), sandbox.file("mcp.sock"));
        fs::write(&script, json!(scripts).to_string())?;
        let program = std::env::current_exe()?;
        for name in scripts.keys() {
            let path = sandbox.file(&format!("mcp-{name}"));
            let words: Vec<String> = [&program, &script, &sandbox.workspace, &socket]
                .map(|path| quoted(path))
                .into();
            let command = format!(
                "#!/bin/sh\nexec {} {COMMAND} {} --server {name} --workspace {} --report {} -- \"$@\"\n",
                words[0], words[1], words[2], words[3]
            );
            fs::write(&path, command)?;
            fs::set_permissions(&path, Permissions::from_mode(0o700))?;
            servers.commands.insert(name.clone(), path);
        }
        let listener = UnixListener::bind(&socket)?;
        let queue = Arc::clone(queue);
        let environment = Arc::clone(&servers.agent_environment);
        servers.listening = Some(tokio::spawn(listen(listener, queue, environment)));
        Ok(servers)
    }

    /// The command of each server, by its name.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&String, &PathBuf)> {
        self.commands.iter()
    }

    /// Notes the environment of an agent that is started. A server has it too, and it is not reported.
    pub(crate) fn set_agent_environment(&self, environment: &[(OsString, OsString)]) {
        let mut known = lock(&self.agent_environment);
        *known = environment.iter().cloned().collect();
    }
}

impl Drop for McpServers {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// Accepts a connection of each server that is started.
async fn listen(listener: UnixListener, queue: Arc<EventQueue>, environment: AgentEnvironment) {
    let mut connections = JoinSet::new();
    let left = Arc::new(AtomicUsize::new(REPORT_LIMIT));
    let mut process = 0;
    while let Ok((stream, _)) = listener.accept().await {
        process += 1;
        let reports = Reports {
            queue: Arc::clone(&queue),
            environment: Arc::clone(&environment),
            left: Arc::clone(&left),
            process,
            server: String::new(),
        };
        connections.spawn(reports.read(stream));
        while connections.try_join_next().is_some() {}
    }
}

/// The reports of one process.
struct Reports {
    queue: Arc<EventQueue>,
    environment: AgentEnvironment,
    /// How many bytes may still be reported.
    left: Arc<AtomicUsize>,
    process: u64,
    server: String,
}

impl Reports {
    async fn read(mut self, stream: UnixStream) {
        let (input, mut output) = stream.into_split();
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let fewer = |left: usize| left.checked_sub(line.len());
            let is_within = self.left.fetch_update(Relaxed, Relaxed, fewer).is_ok();
            let Some(received) = serde_json::from_str(&line).ok().filter(|_| is_within) else {
                return;
            };
            self.note(received);
            if output.write_all(b"\n").await.is_err() {
                return;
            }
        }
    }

    fn note(&mut self, received: Received) {
        let body = match received {
            Received::Started {
                server,
                args,
                env,
                cwd,
            } => {
                self.server = server;
                let known = lock(&self.environment);
                let is_own = |(name, value): &(String, String)| {
                    !known.contains(&(name.into(), value.into())) && !is_of_shell(name)
                };
                let own: serde_json::Map<_, _> = env
                    .into_iter()
                    .filter(is_own)
                    .map(|(name, value)| (name, value.into()))
                    .collect();
                json!({ "started": { "args": args, "env": own, "cwd": cwd } })
            }
            Received::Message(message) => message,
            Received::Text(text) => json!({ "text": text }),
        };
        let event = McpEvent {
            n: self.process,
            server: self.server.clone(),
            body,
        };
        let frame = Frame {
            at: 0,
            body: Body::Mcp(event),
        };
        self.queue.add_outer_event(SessionEvent::Frame(frame));
    }
}

/// Whether the shell of the command sets a variable.
fn is_of_shell(name: &str) -> bool {
    matches!(name, "PWD" | "OLDPWD" | "SHLVL" | "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }
}
