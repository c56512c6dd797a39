//! What a test has prepared: the program and the variables for the host, and the agents that the host starts with them.

use crate::findings::{self, Finding};
use crate::mock_agent::MockAgent;
use control_socket::{Client, Command, failed_starts, registered};
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long an agent may take to start.
const START: Duration = Duration::from_secs(2);

/// How often files and processes are looked at while something is awaited.
const STEP: Duration = Duration::from_millis(10);

/// A mock agent for a host. Its methods act on the agent that was started last and still runs, and wait until there is one; they panic if
/// it refuses what they ask for. When it is dropped, its host must have ended its agents and kept the protocol: otherwise the test panics.
#[derive(Debug)]
pub struct Prepared {
    agent: MockAgent,
    /// Taken at the end.
    own: Option<TempDir>,
    path: PathBuf,
    allowed: Vec<String>,
}

impl Prepared {
    pub(crate) fn new(agent: MockAgent, own: TempDir) -> Self {
        Prepared {
            agent,
            path: own.path().to_owned(),
            own: Some(own),
            allowed: Vec::new(),
        }
    }

    /// The program for the host to start.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.agent.program
    }

    /// The arguments that select the protocol.
    #[must_use]
    pub fn args(&self) -> &[String] {
        &self.agent.args
    }

    /// The variables for the host, which passes them on to its agents. Those of the test itself are not among them.
    #[must_use]
    pub fn env(&self) -> &BTreeMap<String, OsString> {
        &self.agent.env
    }

    /// A folder that only this test has, for example as the workspace of the agent.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.path.join("workspace")
    }

    /// The program with its arguments and variables, in its folder.
    #[must_use]
    pub fn command(&self) -> std::process::Command {
        let mut command = std::process::Command::new(self.program());
        command
            .args(self.args())
            .envs(self.env())
            .current_dir(self.folder());
        command
    }

    /// Waits until the answer is held at this gate of the script.
    #[track_caller]
    pub fn wait_for_gate(&self, gate: &str) {
        let (gate, timeout_ms) = (gate.to_owned(), 0);
        self.request(Command::WaitGate { gate, timeout_ms });
    }

    /// Releases a gate of the script for good, also before it is reached.
    #[track_caller]
    pub fn release(&self, gate: &str) {
        let gate = gate.to_owned();
        self.request(Command::Release { gate });
    }

    /// Waits until the host has sent a command that matches, and returns it. Earlier ones count.
    #[track_caller]
    pub fn wait_for_command(&self, matches: Value) -> Value {
        let (after, timeout_ms) = (0, 0);
        let command = Command::WaitCommand {
            matches,
            after,
            timeout_ms,
        };
        self.request(command)["frame"].take()
    }

    /// Advances a stopped clock, once something waits for it. Returns when the agent has done what follows: how long each wait that is
    /// left still takes.
    #[track_caller]
    pub fn advance(&self, by: Duration) -> Vec<Duration> {
        let by_ms = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let left = self.request(Command::Advance {
            by_ms,
            timeout_ms: 0,
        });
        let waits = left["waits_ms"].as_array().into_iter().flatten();
        waits
            .filter_map(Value::as_u64)
            .map(Duration::from_millis)
            .collect()
    }

    /// Sends an event to the host.
    #[track_caller]
    pub fn send(&self, frame: Value) {
        self.request(Command::Send { frame });
    }

    /// Plays a fault from now on; `conform list faults` lists them.
    #[track_caller]
    pub fn fault(&self, id: &str) {
        let id = id.to_owned();
        self.request(Command::Fault { id });
    }

    /// Ends the agent at once: with an exit status, or by SIGKILL.
    #[track_caller]
    pub fn crash(&self, status: Option<u8>) {
        let signal = None;
        self.request(Command::Crash { signal, status });
    }

    /// What the host and the agent have written, and what happened at gates.
    #[track_caller]
    #[must_use]
    pub fn journal(&self) -> Vec<Value> {
        let mut journal = self.request(Command::Journal { after: 0 });
        let entries = journal["entries"].as_array_mut();
        entries.map(std::mem::take).unwrap_or_default()
    }

    /// The mistakes of the host so far.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let files = self.judges().into_iter().map(|(_, file)| file);
        let read = files.filter_map(|file| fs::read_to_string(file).ok());
        read.flat_map(|text| findings::parse(&text)).collect()
    }

    /// Lets the host break this rule or clause: one with the level `should`, or one that the test looks for in the findings.
    pub fn allow_finding(&mut self, id: &str) {
        self.allowed.push(id.to_owned());
    }

    /// Has a running agent carry out a command. The timeout of the command is that of the test.
    #[track_caller]
    fn request(&self, command: Command) -> Value {
        let timeout = self.agent.timeout;
        let found = until(timeout, || {
            self.running()
                .map(Ok)
                .or_else(|| self.failed_start().map(Err))
        });
        let started = registered(&self.control()).len();
        let late = || {
            Err(format!(
                "no agent runs after {timeout:?}; the host has started {started}"
            ))
        };
        let client = found.unwrap_or_else(late);
        let result = client.and_then(|mut client| {
            let result = client.request(command.with_timeout(timeout));
            result.map_err(|error| error.to_string())
        });
        result.unwrap_or_else(|why| panic!("{why}"))
    }

    fn control(&self) -> PathBuf {
        self.path.join("control")
    }

    fn running(&self) -> Option<Client> {
        let mut agents = registered(&self.control()).into_iter().rev();
        agents.find_map(|agent| Client::connect(&agent).ok())
    }

    fn failed_start(&self) -> Option<String> {
        failed_starts(&self.control()).pop()
    }

    /// The processes between the host and its agents, which judge, and their files.
    fn judges(&self) -> Vec<(u32, PathBuf)> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let judges = entries.filter_map(|entry| {
            let name = entry.file_name();
            let pid = name.to_str()?.strip_prefix("host-")?.strip_suffix(".txt")?;
            Some((pid.parse().ok()?, entry.path()))
        });
        judges.collect()
    }

    /// Waits until the agents have ended, and kills those that have not; returns what is wrong.
    fn finish(&self) -> Vec<String> {
        let agents = || registered(&self.control());
        // The host may have just started one.
        until(START, || {
            (!agents().is_empty() || self.failed_start().is_some()).then_some(())
        });
        let mut wrong: Vec<_> = self.failed_start().into_iter().collect();
        if wrong.is_empty() && agents().is_empty() {
            wrong.push("the host has started no agent: does it pass on the variables?".to_owned());
        }
        // Those that judge end last.
        let judges = || self.judges().into_iter().map(|(pid, _)| pid);
        let pids = || agents().into_iter().map(|agent| agent.pid).chain(judges());
        let mut ended = || (!pids().any(is_running)).then_some(());
        until(self.agent.timeout, &mut ended);
        while let Some(mut left) = self.running() {
            wrong.push(
                "an agent still runs after the end of the test: end it, or its host".to_owned(),
            );
            let (signal, status) = (None, None);
            let _ = left.request(Command::Crash { signal, status });
            until(self.agent.timeout, &mut ended);
        }
        let is_allowed = |finding: &Finding| self.allowed.iter().any(|id| finding.is(id));
        let broken = self
            .findings()
            .into_iter()
            .filter(|finding| !is_allowed(finding));
        wrong.extend(
            broken.map(|finding| format!("the host broke the protocol\n\n{}", finding.text)),
        );
        wrong
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let wrong = self.finish().join("\n\n");
        if wrong.is_empty() {
            return;
        }
        // The transcript is kept: the message names it.
        let _ = self.own.take().map(TempDir::keep);
        if std::thread::panicking() {
            return eprintln!("{wrong}");
        }
        panic!("{wrong}");
    }
}

/// Waits until the function returns something.
fn until<T>(timeout: Duration, mut find: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + timeout;
    loop {
        let found = find();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::sleep(STEP);
    }
}

/// Whether a process runs. One that has ended and is not yet reaped by its parent does not.
fn is_running(pid: u32) -> bool {
    let known = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| &rest[..1]);
    known.is_some_and(|pid| test_kill_process(pid).is_ok()) && !matches!(state, Some("Z" | "X"))
}
