//! Commands in a terminal of the client, where it has declared that.

use super::host::AcpHost;
use super::tools::{Call, Ran};
use crate::faults::Bug;
use crate::tools::{Progress, ToolContext, ToolResult, with_note};
use serde_json::{Value, json};
use std::time::Duration;

/// The default timeout of a command, in milliseconds.
const TIMEOUT: u64 = 120_000;

/// How much output of a command is kept, in bytes.
const OUTPUT_LIMIT: u64 = 30_000;

/// A terminal of the client. Dropping it kills its command and releases it.
struct Terminal<'a> {
    host: &'a AcpHost,
    params: Value,
    is_released: bool,
    keeps_killed: bool,
}

impl Terminal<'_> {
    async fn ask(&self, method: &str) -> Result<Value, super::RpcError> {
        self.host.request(method, self.params.clone()).await
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        if !self.is_released {
            self.host.tell("terminal/kill", self.params.clone());
            if !self.keeps_killed {
                self.host.tell("terminal/release", self.params.clone());
            }
        }
    }
}

pub(super) async fn bash(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Ran {
    host.needs("/terminal")?;
    let args = ["-c", call.arg("command")];
    let command =
        json!({ "command": "sh", "args": args, "cwd": host.cwd, "outputByteLimit": OUTPUT_LIMIT });
    let created = host.request("terminal/create", command).await?;
    let is_kept = context.faults.triggers(Bug::TerminalNotReleased);
    let params = json!({ "terminalId": created["terminalId"] });
    let mut terminal = Terminal {
        host,
        params,
        is_released: is_kept,
        keeps_killed: context.faults.triggers(Bug::KilledTerminalNotReleased),
    };
    let shown = json!({ "type": "terminal", "terminalId": created["terminalId"] });
    if let Some((listener, n)) = context.progress {
        listener(n, Progress::Shown(&shown));
    }
    let limit = Duration::from_millis(call.args["timeout"].as_u64().unwrap_or(TIMEOUT));
    let exited = tokio::time::timeout(limit, terminal.ask("terminal/wait_for_exit")).await;
    if exited.is_err() {
        terminal.ask("terminal/kill").await?;
    }
    let output = terminal.ask("terminal/output").await?;
    if !is_kept {
        terminal.is_released = true;
        terminal.ask("terminal/release").await?;
    }
    let status = exited.unwrap_or(Ok(Value::Null))?;
    let note = match (status["exitCode"].as_i64(), status["signal"].as_str()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("[exit status {code}]")),
        (None, Some(signal)) => Some(format!("[killed by signal {signal}]")),
        (None, None) => Some(format!("[killed after {} s]", limit.as_secs_f64())),
    };
    let said = output["output"].as_str().unwrap_or_default();
    let (ok, details) = (note.is_none(), Some(json!([shown])));
    let said = note.map_or_else(|| said.to_owned(), |note| with_note(said, &note));
    Ok(ToolResult {
        ok,
        details,
        ..ToolResult::text(said)
    })
}
