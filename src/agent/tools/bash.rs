//! `Bash`: a shell command in a process group of its own.

use super::output::{LIMIT, clip};
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use crate::agent::approval::Category;
use crate::agent::event::Outcome;
use crate::agent::faults::Bug;
use crate::agent::process::Tree;
use serde::Deserialize;
use serde_json::json;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};

pub(super) const TOOL: Tool = Tool {
    name: "Bash",
    category: Category::Exec,
    purpose: "Runs a shell command in the workspace. What it leaves running is ended with it.",
    parameters: || {
        json!({ "type": "object", "required": ["command"], "properties": {
            "command": { "type": "string", "description": "The command." },
            "timeout": { "type": "integer", "minimum": 1, "description": "Milliseconds before it is killed." },
        } })
    },
    parse: parse::<Bash>,
};

/// How long a command may run where the call does not say, in milliseconds.
const TIMEOUT: u64 = 120_000;

/// How long the rest of the output is waited for once the shell has gone.
const DRAIN: Duration = Duration::from_millis(500);

/// Variables that are the agent's own business.
const SECRETS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
];

#[derive(Deserialize)]
struct Bash {
    command: String,
    timeout: Option<u64>,
}

impl Job for Bash {
    fn describe(&self) -> String {
        format!(
            "Execute: {}",
            self.command.lines().next().unwrap_or_default()
        )
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            self.execute(cx)
                .await
                .unwrap_or_else(|error| Outcome::error(format!("The shell did not start: {error}")))
        })
    }
}

impl Bash {
    async fn execute(&self, cx: Cx<'_>) -> std::io::Result<Outcome> {
        let (mut child, mut pipe) = self.start(cx)?;
        let tree = Tree::of(&child, cx.faults.intends(Bug::StopKeepsChildren));
        let mut kept = Kept::default();
        let limit = Duration::from_millis(self.timeout.unwrap_or(TIMEOUT));
        let ended = tokio::select! {
            biased;
            status = finish(&mut child, &mut pipe, &mut kept) => Some(status?),
            () = tokio::time::sleep(limit) => None,
        };
        drop(tree);
        let _ = tokio::time::timeout(DRAIN, kept.drain(&mut pipe)).await;
        Ok(kept.outcome(ended, limit))
    }

    fn start(&self, cx: Cx<'_>) -> std::io::Result<(Child, Receiver)> {
        let (reader, writer) = std::io::pipe()?;
        let mut command = Command::new("bash");
        for name in SECRETS {
            command.env_remove(name);
        }
        let child = command
            .arg("-c")
            .arg(&self.command)
            .current_dir(cx.workspace.root())
            .stdin(if cx.faults.plays(Bug::ToolReadsStdin) {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pipe = Receiver::from_file(std::fs::File::from(OwnedFd::from(reader)))?;
        Ok((child, pipe))
    }
}

/// Waits for the shell to end, reading meanwhile.
async fn finish(
    child: &mut Child,
    pipe: &mut Receiver,
    kept: &mut Kept,
) -> std::io::Result<ExitStatus> {
    let mut open = true;
    loop {
        tokio::select! {
            status = child.wait() => return status,
            more = kept.read(pipe), if open => open = more?,
        }
    }
}

/// The output so far: its beginning, and how much more there was.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    dropped: u64,
}

impl Kept {
    /// Reads once; false at the end.
    async fn read(&mut self, pipe: &mut Receiver) -> std::io::Result<bool> {
        let mut buffer = [0; 8192];
        let count = pipe.read(&mut buffer).await?;
        let room = LIMIT.saturating_sub(self.bytes.len()).min(count);
        self.bytes.extend_from_slice(&buffer[..room]);
        self.dropped += (count - room) as u64;
        Ok(count > 0)
    }

    async fn drain(&mut self, pipe: &mut Receiver) {
        while self.read(pipe).await.unwrap_or(false) {}
    }

    fn outcome(self, ended: Option<ExitStatus>, limit: Duration) -> Outcome {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        let text = clip(text, self.dropped);
        let note = match ended {
            Some(status) if status.success() => return Outcome::text(text),
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("[exit status {code}]"),
                (None, signal) => format!("[killed by signal {}]", signal.unwrap_or_default()),
            },
            None => format!("[killed after {} s]", limit.as_secs_f64()),
        };
        let gap = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        Outcome::error(format!("{text}{gap}{note}"))
    }
}
