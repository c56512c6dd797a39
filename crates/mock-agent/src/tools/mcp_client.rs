//! MCP client: starts a server as a child process and speaks JSON-RPC with it over stdio, to list and call its tools.

use super::ToolResult;
use process_list::ProcessTree;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Take};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

/// An MCP server, as the host declares it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct McpServer {
    pub(crate) name: String,
    transport: String,
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
}

/// The timeout for a response of a server, and for the whole handshake.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of a response, in bytes.
const LINE_LIMIT: u64 = 16 << 20;
/// The version of MCP in the handshake.
const MCP_VERSION: &str = "2024-11-05";

/// A tool in the list of a server.
#[derive(Deserialize)]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    /// JSON Schema of the arguments, if the server has one.
    #[serde(rename = "inputSchema")]
    pub(crate) parameters: Option<Value>,
}

/// Starts a server and lists its tools.
///
/// # Errors
/// The server did not start, failed, or did not answer in time.
pub(crate) async fn connect(
    server: &McpServer,
    root: &Path,
) -> io::Result<(McpConnection, Vec<ListedTool>)> {
    let connected = tokio::time::timeout(TIMEOUT, open(server, root)).await;
    connected.unwrap_or_else(|_| Err(io::Error::other("it does not answer")))
}

async fn open(server: &McpServer, root: &Path) -> io::Result<(McpConnection, Vec<ListedTool>)> {
    let mut pipes = Pipes::open(server, root)?;
    let client = json!({ "name": "mock-agent", "version": env!("CARGO_PKG_VERSION") });
    let params =
        json!({ "protocolVersion": MCP_VERSION, "capabilities": {}, "clientInfo": client });
    pipes.request("initialize", params).await?;
    pipes
        .write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await?;
    let listed = pipes.request("tools/list", json!({})).await?;
    let declared = listed["tools"].as_array().into_iter().flatten();
    let tools = declared
        .filter_map(|tool| ListedTool::deserialize(tool).ok())
        .collect();
    Ok((McpConnection(Mutex::new(pipes)), tools))
}

/// A connection to an MCP server.
#[derive(Debug)]
pub(crate) struct McpConnection(Mutex<Pipes>);

impl McpConnection {
    pub(crate) async fn call(&self, tool: &str, args: &Value) -> ToolResult {
        let params = json!({ "name": tool, "arguments": args });
        let mut pipes = self.0.lock().await;
        match tokio::time::timeout(TIMEOUT, pipes.request("tools/call", params)).await {
            Ok(Ok(result)) => ToolResult {
                ok: result["isError"] != true,
                ..ToolResult::text(joined_text(&result))
            },
            Ok(Err(why)) => ToolResult::error(format!("The MCP server failed: {why}")),
            Err(_) => ToolResult::error("The MCP server does not answer"),
        }
    }
}

fn joined_text(result: &Value) -> String {
    let content = result["content"].as_array().into_iter().flatten();
    let texts: Vec<_> = content.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}

/// The pipes to a server process. Dropping them kills its process tree.
#[derive(Debug)]
struct Pipes {
    stdin: ChildStdin,
    stdout: Take<BufReader<ChildStdout>>,
    /// The number of requests so far, which is the id of the latest.
    requests: u64,
    _tree: ProcessTree,
}

impl Pipes {
    fn open(server: &McpServer, root: &Path) -> io::Result<Self> {
        let program = match (&*server.transport, &server.command) {
            ("stdio", Some(program)) => program,
            ("stdio", None) => return Err(io::Error::other("`command` is missing")),
            (other, _) => {
                let why = format!("the transport {other:?} is not supported, only stdio");
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
        let tree = ProcessTree::new(&child, false);
        let no_pipes = || io::Error::other("it has no pipes");
        let stdin = child.stdin.take().ok_or_else(no_pipes)?;
        let stdout = child.stdout.take().ok_or_else(no_pipes)?;
        tokio::spawn(async move { process_list::exit_of(&mut child).await });
        Ok(Pipes {
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

    /// Sends a JSON-RPC request and waits for its result; other messages of the server are skipped.
    async fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        loop {
            let mut line = Vec::new();
            self.stdout.set_limit(LINE_LIMIT);
            if self.stdout.read_until(b'\n', &mut line).await? == 0 {
                return Err(io::Error::other("it has exited"));
            }
            if line.last() != Some(&b'\n') {
                return Err(io::Error::other("its response is too long or incomplete"));
            }
            let response: Value = serde_json::from_slice(&line).unwrap_or_default();
            if response["id"] != id {
                continue;
            }
            return match response.get("error") {
                Some(error) => Err(io::Error::other(format!("{method} failed: {error}"))),
                None => Ok(response["result"].clone()),
            };
        }
    }
}
