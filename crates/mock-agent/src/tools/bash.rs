//! `Bash` tool: runs a shell command in a process group of its own, with a timeout.

use super::output_limit::{OUTPUT_LIMIT, truncate};
use super::shell::{drain, finish, start};
use super::tool::parse;
use super::{Category, Job, JobFuture, Progress, ProgressListener, Tool, ToolContext, ToolResult};
use crate::faults::Bug;
use process_list::ProcessTree;
use serde::Deserialize;
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;

pub(crate) const TOOL: Tool = Tool {
    name: "Bash",
    category: Category::Exec,
    purpose: "Runs a shell command in the workspace. Processes that it leaves running are killed.",
    parameters: || {
        json!({ "type": "object", "required": ["command"], "properties": {
            "command": { "type": "string", "description": "The command." },
            "timeout": { "type": "integer", "minimum": 1, "description": "The timeout in milliseconds." },
        } })
    },
    parse: parse::<Bash>,
};

/// The default timeout of a command, in milliseconds.
const DEFAULT_TIMEOUT: u64 = 120_000;

#[derive(Deserialize)]
pub(crate) struct Bash {
    pub(crate) command: String,
    /// Milliseconds.
    pub(crate) timeout: Option<u64>,
    /// The result's text, of the output and of how the command ended.
    #[serde(skip, default = "in_brackets")]
    pub(crate) result: fn(String, CommandEnd) -> String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CommandEnd {
    Exited(i32),
    Killed(i32),
    TimedOut(Duration),
}

impl Job for Bash {
    fn describe(&self) -> String {
        format!(
            "Execute: {}",
            self.command.lines().next().unwrap_or_default()
        )
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            self.run_command(context).await.unwrap_or_else(|error| {
                ToolResult::error(format!("The shell did not start: {error}"))
            })
        })
    }
}

impl Bash {
    async fn run_command(&self, context: ToolContext<'_>) -> std::io::Result<ToolResult> {
        let faults = context.faults;
        let stdin = if faults.triggers(Bug::ToolReadsStdin) {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        if faults.triggers(Bug::ToolRunsTwice) {
            let (mut child, _pipe) = start(&self.command, &context.workspace.root, Stdio::null())?;
            let _tree = ProcessTree::new(&child, false);
            child.wait().await?;
        }
        let (mut child, mut pipe) = start(&self.command, &context.workspace.root, stdin)?;
        // Only intended: whether it makes a difference shows when a turn is stopped.
        let tree = ProcessTree::new(&child, faults.is_armed(Bug::StopKeepsChildren));
        let mut head = HeadBuffer {
            progress: context.progress,
            ..HeadBuffer::default()
        };
        let limit = Duration::from_millis(self.timeout.unwrap_or(DEFAULT_TIMEOUT));
        let mut sink = |bytes: &[u8]| head.write(bytes);
        let ended = tokio::select! {
            biased;
            status = finish(&mut child, &mut pipe, &mut sink) => Some(status?),
            () = tokio::time::sleep(limit) => None,
        };
        drop(tree);
        drain(&mut pipe, &mut sink).await;
        let end = match ended {
            Some(status) => match status.code() {
                Some(code) => CommandEnd::Exited(code),
                None => CommandEnd::Killed(status.signal().unwrap_or_default()),
            },
            None => CommandEnd::TimedOut(limit),
        };
        let output = String::from_utf8_lossy(&head.bytes).into_owned();
        let text = (self.result)(truncate(output, head.dropped), end);
        Ok(match end {
            CommandEnd::Exited(0) => ToolResult::text(text),
            _ => ToolResult::error(text),
        })
    }
}

/// The beginning of the output, and how many bytes were dropped after it.
#[derive(Default)]
struct HeadBuffer<'a> {
    progress: Option<(ProgressListener<'a>, usize)>,
    bytes: Vec<u8>,
    dropped: u64,
}

impl HeadBuffer<'_> {
    fn write(&mut self, bytes: &[u8]) {
        let free = OUTPUT_LIMIT
            .saturating_sub(self.bytes.len())
            .min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..free]);
        self.dropped += (bytes.len() - free) as u64;
        if let Some((listener, n)) = self.progress.filter(|_| free > 0) {
            listener(n, Progress::Output(&String::from_utf8_lossy(&self.bytes)));
        }
    }
}

fn in_brackets() -> fn(String, CommandEnd) -> String {
    bracketed
}

/// The output, and a failure in brackets on a line of its own.
pub(crate) fn bracketed(text: String, end: CommandEnd) -> String {
    let note = match end {
        CommandEnd::Exited(0) => return text,
        CommandEnd::Exited(code) => format!("[exit status {code}]"),
        CommandEnd::Killed(signal) => format!("[killed by signal {signal}]"),
        CommandEnd::TimedOut(limit) => format!("[killed after {} s]", limit.as_secs_f64()),
    };
    with_note(&text, &note)
}

/// The output, and a note on a line of its own.
pub(crate) fn with_note(text: &str, note: &str) -> String {
    let separator = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{text}{separator}{note}")
}
