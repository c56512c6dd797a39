//! Shell processes: starts bash in a process group, reads its output, kills it; for the `Bash` tool and for commands of the host.

use super::output_limit::TailBuffer;
use crate::faults::{Bug, Faults};
use process_list::ProcessTree;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};

/// The timeout for the rest of the output after the shell has exited.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Environment variables that commands must not see.
const SECRETS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
];

/// Starts a command in a folder, in a process group of its own. Its standard output and standard error share the pipe.
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

type OutputSink<'a> = &'a mut dyn FnMut(&[u8]);

/// Reads once; false at the end of the output.
async fn read(pipe: &mut Receiver, sink: OutputSink<'_>) -> std::io::Result<bool> {
    let mut buffer = [0; 8192];
    let count = pipe.read(&mut buffer).await?;
    sink(&buffer[..count]);
    Ok(count > 0)
}

/// Reads the rest of the output, with a timeout.
pub(super) async fn drain(pipe: &mut Receiver, sink: OutputSink<'_>) {
    let all = async { while read(pipe, sink).await.unwrap_or(false) {} };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, all).await;
}

/// Waits until the shell exits, and reads its output meanwhile.
pub(super) async fn finish(
    child: &mut Child,
    pipe: &mut Receiver,
    sink: OutputSink<'_>,
) -> std::io::Result<ExitStatus> {
    let mut open = true;
    let mut exit = pin!(process_list::exit_of(child));
    loop {
        tokio::select! {
            status = &mut exit => return status,
            more = read(pipe, sink), if open => open = more?,
        }
    }
}

/// The result of a shell command of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ShellResult {
    pub(crate) command: String,
    /// Its output, or the end of a long one.
    pub(crate) output: String,
    /// The exit status; none if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) cancelled: bool,
    /// The file with the whole of a long output.
    pub(crate) whole: Option<PathBuf>,
}

#[derive(Clone, Copy)]
pub(crate) struct ShellOptions<'a> {
    pub(crate) root: &'a Path,
    /// The folder for files with long outputs.
    pub(crate) outputs: &'a Path,
    pub(crate) faults: &'a Faults,
}

/// Runs a command of the host until it exits, or until `stop`, and passes its output to `on_output` as it comes. A long output is
/// written to a file as a whole.
pub(crate) async fn execute(
    command: &str,
    options: ShellOptions<'_>,
    stop: impl Future<Output = ()>,
    on_output: OutputSink<'_>,
) -> ShellResult {
    let mut result = ShellResult {
        command: command.to_owned(),
        ..ShellResult::default()
    };
    let faults = options.faults;
    let root = if faults.triggers(Bug::ShellRunsElsewhere) {
        Path::new("/")
    } else {
        options.root
    };
    if faults.triggers(Bug::ShellRunsTwice)
        && let Ok((mut child, _pipe)) = start(command, root, Stdio::null())
    {
        let _ = child.wait().await;
    }
    let (mut child, mut pipe) = match start(command, root, Stdio::null()) {
        Ok(started) => started,
        Err(error) => {
            result.output = format!("The shell did not start: {error}");
            return result;
        }
    };
    let tree = ProcessTree::new(&child, faults.triggers(Bug::ShellKeepsChildren));
    let mut tail = TailBuffer::new(options.outputs);
    let mut sink = |bytes: &[u8]| {
        on_output(bytes);
        tail.push(bytes);
    };
    tokio::select! {
        biased;
        () = stop => result.cancelled = true,
        status = finish(&mut child, &mut pipe, &mut sink) => {
            result.code = status.ok().and_then(|status| status.code());
        }
    }
    drop(tree);
    drain(&mut pipe, &mut sink).await;
    (result.output, result.whole) = tail.finish();
    result
}
