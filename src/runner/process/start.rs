//! Starting the agent.

use super::stdin::{Clogged, Stdin};
use super::supervise::Ward;
use super::tree::Tree;
use super::{stderr, stdout};
use crate::runner::inbox::Inbox;
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::sync::mpsc;

/// What is started, and where. Nothing else of the environment reaches the agent.
#[derive(Debug, Clone)]
pub(in crate::runner) struct Launch {
    /// The program, as a path.
    pub(in crate::runner) program: PathBuf,
    /// Its arguments.
    pub(in crate::runner) args: Vec<OsString>,
    /// The whole environment.
    pub(in crate::runner) env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub(in crate::runner) dir: PathBuf,
    /// The entry of the environment by which descendants of this agent are known: its own HOME.
    pub(in crate::runner) mark: OsString,
}

impl Launch {
    /// The command line, for transcripts.
    pub(in crate::runner) fn argv(&self) -> Vec<String> {
        let args = self
            .args
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned());
        std::iter::once(self.program.display().to_string())
            .chain(args)
            .collect()
    }
}

/// The agent could not be started at all.
#[derive(Debug)]
pub(in crate::runner) struct StartError {
    program: PathBuf,
    error: io::Error,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start {}: ", self.program.display())?;
        match self.error.kind() {
            ErrorKind::NotFound if self.program.exists() => {
                write!(f, "the interpreter that its first line names is not there")
            }
            ErrorKind::NotFound => write!(f, "there is no such file"),
            ErrorKind::PermissionDenied if self.program.is_dir() => write!(f, "it is a directory"),
            ErrorKind::PermissionDenied => write!(f, "it is not executable"),
            _ if self.error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                write!(
                    f,
                    "it is no program that this system can run (a script needs a `#!` line)"
                )
            }
            _ => self.error.fmt(f),
        }
    }
}

/// A running agent. Dropped, it is killed.
#[derive(Debug)]
pub(in crate::runner) struct Process {
    pid: Pid,
    stdin: Option<Stdin>,
    kill: mpsc::UnboundedSender<String>,
    life: Arc<OnceLock<Duration>>,
    supervisor: tokio::task::JoinHandle<()>,
}

impl Process {
    /// Starts an agent, everything that happens to be put into the inbox; orphans are given this long to end by themselves.
    pub(in crate::runner) fn start(
        launch: &Launch,
        inbox: &Arc<Inbox>,
        grace: Duration,
    ) -> Result<Process, StartError> {
        let failed = |error| StartError {
            program: launch.program.clone(),
            error,
        };
        let (pipe, writer) = stdout::pipe().map_err(failed)?;
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .env_clear()
            .envs(launch.env.iter().cloned())
            .current_dir(&launch.dir)
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let started = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        // The command holds a copy of the pipe's other end.
        drop(command);
        let pid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw)
            .ok_or_else(|| failed(io::Error::other("it has no process id")))?;
        inbox.begin(Arc::clone(&pipe), started);
        let stdin = child.stdin.take().map(Stdin::serve);
        let mut readers = vec![tokio::spawn(stdout::read(pipe, Arc::clone(inbox)))];
        if let Some(pipe) = child.stderr.take() {
            readers.push(tokio::spawn(stderr::read(pipe, Arc::clone(inbox))));
        }
        let (kill, kills) = mpsc::unbounded_channel();
        let life = Arc::new(OnceLock::new());
        let ward = Ward {
            child,
            started,
            life: Arc::clone(&life),
            tree: Tree::new(pid, launch.mark.clone(), grace),
            readers,
        };
        let supervisor = tokio::spawn(ward.supervise(kills, Arc::clone(inbox)));
        Ok(Process {
            pid,
            stdin,
            kill,
            life,
            supervisor,
        })
    }

    /// Queues bytes for the agent's stdin; after [`Process::close_stdin`] they go nowhere.
    pub(in crate::runner) fn write(&self, bytes: Vec<u8>) -> Result<(), Clogged> {
        self.stdin
            .as_ref()
            .map_or(Ok(()), |stdin| stdin.write(bytes))
    }

    /// Closes stdin, once everything queued is written.
    pub(in crate::runner) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Whether stdin is open on the host's side.
    pub(in crate::runner) fn is_stdin_open(&self) -> bool {
        self.stdin.is_some()
    }

    /// How long the agent lived, from its start to its end; nothing while it lives.
    pub(in crate::runner) fn life(&self) -> Duration {
        self.life.get().copied().unwrap_or_default()
    }

    /// Sends a signal to the agent itself.
    pub(in crate::runner) fn signal(&self, signal: Signal) {
        if let Err(error) = rustix::process::kill_process(self.pid, signal) {
            tracing::debug!(%error, ?signal, "the signal was not sent");
        }
    }

    /// Kills the agent and its whole tree.
    pub(in crate::runner) fn kill(&self, why: impl Into<String>) {
        // A supervisor that is gone has nothing left to kill.
        drop(self.kill.send(why.into()));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.supervisor.is_finished() {
            self.supervisor.abort();
            Tree::kill_group(self.pid);
        }
    }
}
