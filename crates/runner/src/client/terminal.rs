//! The terminals of a client: processes that an agent runs through it, each in a process group of its own.
//!
//! The end of a process is seen without reaping it, so that its group keeps its number until the terminal is released.

use crate::event_queue::{EventQueue, SessionEvent};
use crate::process::process_tree::NotOfAgent;
use conform_judge::signals;
use process_list::kill_group;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;

/// The bytes of output that are kept if the agent names no limit, and the most that are ever kept.
const USUAL_LIMIT: usize = 1 << 20;
const HIGHEST_LIMIT: usize = 16 << 20;
/// How often a process is asked whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The bytes of output after which a process has to wait between two reads, so that one that prints without end takes no CPU.
const FAST_BYTES: u64 = 4 << 20;
/// The most bytes that are read after the end of a process, whose children may go on.
const LAST_BYTES: usize = 1 << 20;

/// What a terminal runs.
#[derive(Debug, Clone)]
pub(crate) struct TerminalCommand {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    /// The most bytes of output that are kept.
    pub(crate) limit: Option<usize>,
}

/// How a process has ended: its exit code, or the name of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TerminalEnd {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<String>,
}

/// A process with its output. When it is dropped, its process group is killed.
#[derive(Debug)]
pub(crate) struct Terminal {
    pub(crate) program: String,
    pid: Pid,
    state: Arc<Mutex<TerminalState>>,
}

#[derive(Debug)]
struct TerminalState {
    output: KeptOutput,
    end: Option<TerminalEnd>,
    is_released: bool,
}

/// The end of an output, of bounded length.
#[derive(Debug)]
struct KeptOutput {
    bytes: VecDeque<u8>,
    limit: usize,
    is_truncated: bool,
}

impl KeptOutput {
    fn new(limit: usize) -> Self {
        KeptOutput {
            bytes: VecDeque::new(),
            limit,
            is_truncated: false,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.is_truncated |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// The text without the rest of a character that was cut, and without the beginning of one that is not whole yet. Bytes that are no
    /// text become `?`, so that it does not grow beyond the limit.
    fn text(&self, is_over: bool) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let is_rest = |byte: &&u8| self.is_truncated && (**byte & 0xc0) == 0x80;
        let cut = bytes.iter().take(3).take_while(is_rest).count();
        let mut text = String::new();
        let mut chunks = bytes[cut..].utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let may_go_on = chunks.peek().is_none() && !is_over && is_begun(chunk.invalid());
            if !chunk.invalid().is_empty() && !may_go_on {
                text.push('?');
            }
        }
        text
    }
}

/// Whether bytes are the beginning of a character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

impl Terminal {
    /// Starts a process. Its end goes into the event queue under this name.
    pub(crate) fn start(
        command: &TerminalCommand,
        name: String,
        queue: &Arc<EventQueue>,
    ) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
        let mut process = Command::new(&command.program);
        process
            .args(&command.args)
            .env_clear()
            .envs(command.env.iter().cloned())
            .current_dir(&command.folder)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0);
        let child = process.spawn()?;
        drop(process);
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("it has no process id"))?;
        let limit = command.limit.unwrap_or(USUAL_LIMIT).min(HIGHEST_LIMIT);
        let state = Arc::new(Mutex::new(TerminalState {
            output: KeptOutput::new(limit),
            end: None,
            is_released: false,
        }));
        let watched = WatchedProcess {
            _mark: NotOfAgent::mark(pid),
            pid,
            child,
            pipe: Some(pipe),
            read: 0,
            state: Arc::clone(&state),
        };
        tokio::spawn(watched.watch(name, Arc::clone(queue)));
        Ok(Terminal {
            program: command.program.clone(),
            pid,
            state,
        })
    }

    /// Its output so far, whether some of it is gone, and its end.
    pub(crate) fn output(&self) -> (String, bool, Option<TerminalEnd>) {
        let state = locked(&self.state);
        let (output, end) = (&state.output, state.end.clone());
        (output.text(end.is_some()), output.is_truncated, end)
    }

    /// Kills its process group.
    pub(crate) fn kill(&self) {
        kill_group(self.pid);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.kill();
        locked(&self.state).is_released = true;
    }
}

fn locked(state: &Mutex<TerminalState>) -> MutexGuard<'_, TerminalState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct WatchedProcess {
    _mark: NotOfAgent,
    pid: Pid,
    child: Child,
    /// Its output, until that ends.
    pipe: Option<Receiver>,
    /// The bytes that were read.
    read: u64,
    state: Arc<Mutex<TerminalState>>,
}

impl WatchedProcess {
    /// Reads the output until the terminal is released and the process has ended.
    async fn watch(mut self, name: String, queue: Arc<EventQueue>) {
        let mut is_over = false;
        loop {
            let is_fast = self.read > FAST_BYTES;
            match &self.pipe {
                Some(pipe) if !is_fast => {
                    tokio::select! {
                        _ = pipe.readable() => {}
                        () = tokio::time::sleep(POLL_INTERVAL) => {}
                    }
                }
                _ => tokio::time::sleep(POLL_INTERVAL).await,
            }
            self.read_some(64 << 10);
            if is_over {
                if locked(&self.state).is_released {
                    // It has ended, so this does not wait.
                    let _ = self.child.wait();
                    return;
                }
            } else if let Some(end) = self.end() {
                self.read_some(LAST_BYTES);
                is_over = true;
                locked(&self.state).end = Some(end.clone());
                queue.add_outer_event(SessionEvent::TerminalEnded {
                    name: name.clone(),
                    end,
                });
            }
        }
    }

    /// Reads what is there, at most this many bytes.
    fn read_some(&mut self, most: usize) {
        let mut buffer = [0; 16 << 10];
        let mut left = most;
        while let Some(pipe) = &self.pipe
            && left > 0
        {
            match pipe.try_read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    locked(&self.state).output.add(&buffer[..length]);
                    self.read += length as u64;
                    left = left.saturating_sub(length);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    /// How the process has ended, if it has.
    fn end(&self) -> Option<TerminalEnd> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        match waitid(WaitId::Pid(self.pid), options) {
            Ok(None) => None,
            Ok(Some(status)) => Some(TerminalEnd {
                code: status.exit_status(),
                signal: status.terminating_signal().map(signals::name),
            }),
            Err(_) => Some(TerminalEnd {
                code: None,
                signal: None,
            }),
        }
    }
}
