//! MCP servers that the host adds: programs that speak JSON-RPC, a line each, on their stdin and stdout.

use super::tools::McpTool;
use crate::core::call::Outcome;
use crate::core::event::Event;
use crate::core::failure::{Code, Failure};
use crate::core::session::Session;
use crate::os::process_tree::Tree;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Take};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, Notify};

/// A server as the host names it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Server {
    name: String,
    transport: String,
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
}

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of one answer.
const LINE_LIMIT: u64 = 16 << 20;
/// The version of MCP that is asked for.
const VERSION: &str = "2024-11-05";

/// The servers that are to be connected.
#[derive(Default)]
pub(super) struct Servers {
    waiting: RefCell<VecDeque<Server>>,
    busy: Cell<bool>,
    changed: Notify,
}

impl Servers {
    /// Has a server connected.
    pub(super) fn add(&self, server: Server) {
        self.waiting.borrow_mut().push_back(server);
        self.changed.notify_waiters();
    }

    /// Waits until every server is connected, or given up.
    pub(super) async fn settled(&self) {
        self.until(|| self.waiting.borrow().is_empty() && !self.busy.get())
            .await;
    }

    /// Connects servers, for ever.
    pub(super) async fn work(&self, session: &Session) {
        loop {
            self.until(|| !self.waiting.borrow().is_empty()).await;
            self.busy.set(true);
            let next = self.waiting.borrow_mut().pop_front();
            if let Some(server) = next {
                self.connect(session, &server).await;
            }
            self.busy.set(false);
            self.changed.notify_waiters();
        }
    }

    async fn connect(&self, session: &Session, server: &Server) {
        let connected = tokio::time::timeout(PATIENCE, tools(server, session.workspace.root()));
        let tools = match connected.await {
            Ok(Ok(tools)) => tools,
            Ok(Err(why)) => return refuse(session, server, &why.to_string()),
            Err(_) => return refuse(session, server, "it does not answer"),
        };
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool.short_name().to_owned())
            .collect();
        session.tools.add(tools);
        session.events.emit(&Event::McpServerConnected {
            server: &server.name,
            tools: &names,
        });
    }

    async fn until(&self, done: impl Fn() -> bool) {
        loop {
            let change = self.changed.notified();
            if done() {
                return;
            }
            change.await;
        }
    }
}

fn refuse(session: &Session, server: &Server, why: &str) {
    let why = format!("The MCP server {:?} cannot be used: {why}", server.name);
    session
        .events
        .emit_failure(&Failure::lasting(Code::Config, why));
}

/// Starts a server and asks it for its tools.
async fn tools(server: &Server, root: &Path) -> io::Result<Vec<McpTool>> {
    let mut link = Link::open(server, root)?;
    let client = json!({ "name": "mock-agent", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client });
    link.ask("initialize", hello).await?;
    link.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await?;
    let listed = link.ask("tools/list", json!({})).await?;
    let link = Rc::new(Connection(Mutex::new(link)));
    let listed = listed["tools"].as_array().cloned().unwrap_or_default();
    let tools = listed.iter().filter_map(|tool| {
        let name = tool["name"].as_str()?;
        let purpose = tool["description"].as_str().unwrap_or_default();
        let parameters = tool.get("inputSchema").cloned();
        Some(McpTool::served(
            &server.name,
            name,
            purpose,
            parameters,
            Rc::clone(&link),
        ))
    });
    Ok(tools.collect())
}

/// A server that is connected.
pub(super) struct Connection(Mutex<Link>);

impl Connection {
    /// Calls one of its tools.
    pub(super) async fn call(&self, tool: &str, args: &Value) -> Outcome {
        let params = json!({ "name": tool, "arguments": args });
        let mut link = self.0.lock().await;
        match tokio::time::timeout(PATIENCE, link.ask("tools/call", params)).await {
            Ok(Ok(result)) => Outcome {
                ok: result["isError"] != true,
                ..Outcome::text(text(&result))
            },
            Ok(Err(why)) => Outcome::error(format!("The MCP server failed: {why}")),
            Err(_) => Outcome::error("The MCP server does not answer"),
        }
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

/// The texts of a result.
fn text(result: &Value) -> String {
    let content = result["content"].as_array().into_iter().flatten();
    let texts: Vec<_> = content.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

/// The pipes to a server. Dropping them ends it, and all that it started.
struct Link {
    stdin: ChildStdin,
    stdout: Take<BufReader<ChildStdout>>,
    requests: u64,
    _tree: Tree,
}

impl Link {
    fn open(server: &Server, root: &Path) -> io::Result<Self> {
        let program = match (&*server.transport, &server.command) {
            ("stdio", Some(program)) => program,
            ("stdio", None) => return Err(io::Error::other("`command` is missing")),
            (other, _) => {
                let why = format!("the transport {other:?} is not spoken, only stdio");
                return Err(io::Error::other(why));
            }
        };
        let mut child = Command::new(program)
            .args(server.args.iter().flatten())
            .envs(server.env.iter().flatten())
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let tree = Tree::of(&child, false);
        let gone = || io::Error::other("it has no pipes");
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = child.stdout.take().ok_or_else(gone)?;
        tokio::spawn(async move { child.wait().await });
        Ok(Link {
            stdin,
            stdout: BufReader::new(stdout).take(LINE_LIMIT),
            requests: 0,
            _tree: tree,
        })
    }

    async fn write(&mut self, message: &Value) -> io::Result<()> {
        self.stdin
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        self.stdin.flush().await
    }

    /// Sends a request and waits for its result; what else the server says is passed over.
    async fn ask(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        loop {
            let mut line = Vec::new();
            self.stdout.set_limit(LINE_LIMIT);
            if self.stdout.read_until(b'\n', &mut line).await? == 0 {
                return Err(io::Error::other("it has ended"));
            }
            if line.last() != Some(&b'\n') {
                return Err(io::Error::other("its answer is too long, or broken off"));
            }
            let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
            if answer["id"] != id {
                continue;
            }
            return match answer.get("error") {
                Some(error) => Err(io::Error::other(format!("{method} failed: {error}"))),
                None => Ok(answer["result"].clone()),
            };
        }
    }
}
