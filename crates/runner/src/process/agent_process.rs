//! Spawns the agent's process in a process group of its own, and is the handle to it: write, signal, kill.

use super::activity::ProcessActivity;
use super::pipes::{self, StdinFull, StdinWriter};
use super::process_tree::AgentProcessTree;
use super::spawn_error::SpawnError;
use super::starvation::TreeCpuTimes;
use super::supervisor::Supervisor;
use crate::event_queue::EventQueue;
use rustix::process::{Pid, Signal};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::process::Command;
use tokio::sync::mpsc;

/// The command that starts an agent, with its whole environment.
#[derive(Debug, Clone)]
pub(crate) struct LaunchCommand {
    /// The program, as a path.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// The environment; nothing is inherited.
    pub(crate) env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub(crate) dir: PathBuf,
    /// The entry of the environment by which all processes of this agent are recognized: the HOME of its sandbox.
    pub(crate) marker: OsString,
    /// The reason why it is started, in words.
    pub(crate) purpose: String,
}

impl LaunchCommand {
    /// The command line, for transcripts.
    pub(crate) fn argv(&self) -> Vec<String> {
        let args = self
            .args
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned());
        std::iter::once(self.program.display().to_string())
            .chain(args)
            .collect()
    }
}

/// A running agent. When it is dropped, its process group is killed.
#[derive(Debug)]
pub(crate) struct AgentProcess {
    pid: Pid,
    stdin: Option<StdinWriter>,
    kill: mpsc::UnboundedSender<String>,
    supervisor: tokio::task::JoinHandle<()>,
}

impl AgentProcess {
    /// Spawns an agent whose output and end go into the event queue. Processes that outlive it are killed after the grace period.
    pub(crate) fn start(
        launch: &LaunchCommand,
        queue: &Arc<EventQueue>,
        grace: Duration,
    ) -> Result<AgentProcess, SpawnError> {
        let failed = |error| SpawnError {
            program: launch.program.clone(),
            error,
        };
        let (pipe, writer) = pipes::stdout_pipe().map_err(failed)?;
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
        // The command holds a copy of the writing end of the pipe.
        drop(command);
        let pid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw)
            .ok_or_else(|| failed(io::Error::other("it has no process id")))?;
        queue.begin_session(Arc::clone(&pipe), started);
        let stdin = child.stdin.take().map(StdinWriter::new);
        let mut readers = vec![tokio::spawn(pipes::read_stdout(pipe, Arc::clone(queue)))];
        if let Some(pipe) = child.stderr.take() {
            readers.push(tokio::spawn(pipes::read_stderr(pipe, Arc::clone(queue))));
        }
        let (kill, kills) = mpsc::unbounded_channel();
        let watched = Supervisor {
            child,
            tree: AgentProcessTree::new(pid, launch, grace),
            readers,
        };
        let supervisor = tokio::spawn(watched.supervise(kills, Arc::clone(queue)));
        Ok(AgentProcess {
            pid,
            stdin,
            kill,
            supervisor,
        })
    }

    /// Queues bytes for the agent's stdin; after [`AgentProcess::close_stdin`] they are dropped.
    pub(crate) fn write(&self, bytes: Vec<u8>) -> Result<(), StdinFull> {
        self.stdin
            .as_ref()
            .map_or(Ok(()), |stdin| stdin.write(bytes))
    }

    /// Closes stdin, once everything queued is written.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Whether `close_stdin` has not been called yet.
    pub(crate) fn is_stdin_open(&self) -> bool {
        self.stdin.is_some()
    }

    /// How long the agent's processes have had the CPU and waited for it.
    pub(crate) fn cpu_times(&self) -> TreeCpuTimes {
        TreeCpuTimes::measure(self.pid)
    }

    /// What the agent's processes have done so far; `None` if one of them is at work right now, or if the system does not report it.
    pub(crate) fn activity(&self) -> Option<ProcessActivity> {
        ProcessActivity::measure(self.pid)
    }

    /// Sends a signal to the agent's own process.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Err(error) = rustix::process::kill_process(self.pid, signal) {
            tracing::debug!(%error, ?signal, "the signal was not sent");
        }
    }

    /// Kills the agent and its whole process tree; `why` becomes the reason in its end.
    pub(crate) fn kill(&self, why: impl Into<String>) {
        // The supervisor is gone once the process tree is.
        drop(self.kill.send(why.into()));
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        if !self.supervisor.is_finished() {
            self.supervisor.abort();
            process_list::kill_group(self.pid);
        }
    }
}
