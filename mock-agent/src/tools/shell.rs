//! The shell, for the model's commands and for the host's own.

use super::tail::Tail;
use crate::core::call::ShellResult;
use crate::os::process_tree::Tree;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};

/// How long the rest of the output is waited for once the shell has gone.
pub(super) const DRAIN: Duration = Duration::from_millis(500);

/// Variables that are the agent's own business.
const SECRETS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
];

/// Starts a command in a folder, in a process group of its own; both its outputs come through the pipe.
pub(super) fn start(
    command: &str,
    root: &Path,
    stdin: Stdio,
) -> std::io::Result<(Child, Receiver)> {
    let (reader, writer) = std::io::pipe()?;
    let mut shell = Command::new("bash");
    for name in SECRETS {
        shell.env_remove(name);
    }
    let child = shell
        .arg("-c")
        .arg(command)
        .current_dir(root)
        .stdin(stdin)
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let pipe = Receiver::from_file(std::fs::File::from(OwnedFd::from(reader)))?;
    Ok((child, pipe))
}

/// What takes output in.
pub(super) trait Sink {
    fn take(&mut self, bytes: &[u8]);
}

impl Sink for Tail<'_> {
    fn take(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }
}

/// Reads once; false at the end.
async fn read(pipe: &mut Receiver, sink: &mut impl Sink) -> std::io::Result<bool> {
    let mut buffer = [0; 8192];
    let count = pipe.read(&mut buffer).await?;
    sink.take(&buffer[..count]);
    Ok(count > 0)
}

/// Reads what is left, but not for ever.
pub(super) async fn drain(pipe: &mut Receiver, sink: &mut impl Sink) {
    let all = async { while read(pipe, sink).await.unwrap_or(false) {} };
    let _ = tokio::time::timeout(DRAIN, all).await;
}

/// Waits for the shell to end, reading meanwhile.
pub(super) async fn finish(
    child: &mut Child,
    pipe: &mut Receiver,
    sink: &mut impl Sink,
) -> std::io::Result<ExitStatus> {
    let mut open = true;
    loop {
        tokio::select! {
            status = child.wait() => return status,
            more = read(pipe, sink), if open => open = more?,
        }
    }
}

/// Where a command of the host's own runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) root: &'a Path,
    /// The folder of files with long outputs.
    pub(crate) outputs: &'a Path,
    /// Whether what it leaves running is left to itself.
    pub(crate) keeps_children: bool,
    /// Whether it is run once more before.
    pub(crate) twice: bool,
}

/// Output that somebody else hears too.
struct Overheard<'a> {
    tail: Tail<'a>,
    heard: &'a mut dyn FnMut(&[u8]),
}

impl Sink for Overheard<'_> {
    fn take(&mut self, bytes: &[u8]) {
        (self.heard)(bytes);
        self.tail.push(bytes);
    }
}

/// Runs a command of the host's own to its end, or until `stop`; what it writes is heard as it comes. A long output is kept whole in a file.
pub(crate) async fn execute(
    command: &str,
    place: Place<'_>,
    stop: impl Future<Output = ()>,
    heard: &mut dyn FnMut(&[u8]),
) -> ShellResult {
    let mut executed = ShellResult {
        command: command.to_owned(),
        ..ShellResult::default()
    };
    if place.twice
        && let Ok((mut child, _pipe)) = start(command, place.root, Stdio::null())
    {
        let _ = child.wait().await;
    }
    let (mut child, mut pipe) = match start(command, place.root, Stdio::null()) {
        Ok(started) => started,
        Err(error) => {
            executed.output = format!("The shell did not start: {error}");
            return executed;
        }
    };
    let tree = Tree::of(&child, place.keeps_children);
    let mut sink = Overheard {
        tail: Tail::new(place.outputs),
        heard,
    };
    tokio::select! {
        biased;
        () = stop => executed.cancelled = true,
        status = finish(&mut child, &mut pipe, &mut sink) => {
            executed.code = status.ok().and_then(|status| status.code());
        }
    }
    drop(tree);
    drain(&mut pipe, &mut sink).await;
    (executed.output, executed.whole) = sink.tail.finish();
    executed
}
