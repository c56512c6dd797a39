//! `Bash`: a shell command in a process group of its own.

use super::output::{LIMIT, clip};
use super::registry::{Cx, Job, JobFuture, Progress, Tool, parse};
use super::shell::{Sink, drain, finish, start};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use crate::faults::Bug;
use crate::os::process_tree::Tree;
use serde::Deserialize;
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::rc::Rc;
use std::time::Duration;

pub(crate) const TOOL: Tool = Tool {
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

#[derive(Deserialize)]
pub(crate) struct Bash {
    pub(crate) command: String,
    /// Milliseconds.
    pub(crate) timeout: Option<u64>,
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
        let stdin = if cx.faults.plays(Bug::ToolReadsStdin) {
            Stdio::inherit()
        } else {
            Stdio::null()
        };
        if cx.faults.plays(Bug::ToolRunsTwice) {
            let (mut child, _pipe) = start(&self.command, cx.workspace.root(), Stdio::null())?;
            let _tree = Tree::of(&child, false);
            child.wait().await?;
        }
        let (mut child, mut pipe) = start(&self.command, cx.workspace.root(), stdin)?;
        let tree = Tree::of(&child, cx.faults.intends(Bug::StopKeepsChildren));
        let mut kept = Kept {
            progress: cx.progress,
            ..Kept::default()
        };
        let limit = Duration::from_millis(self.timeout.unwrap_or(TIMEOUT));
        let ended = tokio::select! {
            biased;
            status = finish(&mut child, &mut pipe, &mut kept) => Some(status?),
            () = tokio::time::sleep(limit) => None,
        };
        drop(tree);
        drain(&mut pipe, &mut kept).await;
        Ok(kept.outcome(ended, limit))
    }
}

/// The output so far: its beginning, and how much more there was.
#[derive(Default)]
struct Kept<'a> {
    progress: Option<(&'a dyn Progress, usize)>,
    bytes: Vec<u8>,
    dropped: u64,
}

impl Sink for Kept<'_> {
    fn take(&mut self, bytes: &[u8]) {
        let room = LIMIT.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.dropped += (bytes.len() - room) as u64;
        if let Some((told, n)) = self.progress.filter(|_| room > 0) {
            told.tell(n, &String::from_utf8_lossy(&self.bytes));
        }
    }
}

impl Kept<'_> {
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
