//! The guard: a small process beside the relay that kills the agent's process tree if the relay dies without doing so.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The subcommand of this program that is the guard.
pub(crate) const SUBCOMMAND: &str = "relay-guard";

/// What the relay writes when there is nothing left to kill.
const DONE: &str = "done";

/// How long a killed process tree may take to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);
/// How often it is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The processes of one agent: its process group and session, and on Linux everything that has inherited the mark in its environment.
#[derive(Debug, Clone)]
pub(super) struct MarkedTree {
    /// The name of an environment variable that only these processes have.
    pub(super) mark: String,
    pub(super) leader: Option<Pid>,
}

impl MarkedTree {
    /// A tree with a mark of its own, before its leader is started.
    pub(super) fn new() -> Self {
        MarkedTree {
            mark: format!("CONFORM_RELAY_{}", std::process::id()),
            leader: None,
        }
    }

    /// Kills the whole tree, waits until it is gone, and returns how many processes other than the leader were killed.
    pub(super) fn kill(&self) -> usize {
        let mut killed = Vec::new();
        let until = Instant::now() + KILL_TIMEOUT;
        loop {
            let members = self.members();
            if let Some(leader) = self.leader {
                // Fails if no process is left in the group.
                let _ = kill_process_group(leader, Signal::KILL);
            }
            if members.is_empty() || Instant::now() > until {
                break;
            }
            for pid in members {
                if !killed.contains(&pid) {
                    killed.push(pid);
                }
                // Fails if the process has ended in the meantime.
                let _ = kill_process(pid, Signal::KILL);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        killed
            .iter()
            .filter(|pid| Some(**pid) != self.leader)
            .count()
    }

    /// Kills the tree unless it ends by itself until then. For a tree whose leader is reaped.
    pub(super) fn kill_at(&self, until: Instant) -> usize {
        while !self.members().is_empty() && Instant::now() < until {
            std::thread::sleep(POLL_INTERVAL);
        }
        self.kill()
    }

    fn members(&self) -> Vec<Pid> {
        let mut entry = OsString::from(&self.mark);
        entry.push("=1");
        let leader = self.leader.map(Pid::as_raw_pid);
        let is_member = |found: &process_list::RunningProcess| {
            Some(found.group) == leader
                || Some(found.session) == leader
                || found.has_in_environment(&entry)
        };
        let members: Vec<_> = process_list::all().filter(is_member).collect();
        for ended in members.iter().filter(|found| found.ended) {
            if Some(ended.pid) != self.leader {
                // Fails for a zombie that is not a child of this process.
                let _ = waitpid(Some(ended.pid), WaitOptions::NOHANG);
            }
        }
        let living = members.into_iter().filter(|found| !found.ended);
        living.map(|found| found.pid).collect()
    }
}

/// The relay's handle to its guard.
#[derive(Debug)]
pub(super) struct Guard {
    process: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts the guard of a tree, before the tree itself.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(super) fn start(tree: &MarkedTree) -> io::Result<Guard> {
        let mut process = Command::new(std::env::current_exe()?)
            .args([SUBCOMMAND, &tree.mark])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = process.stdin.take();
        Ok(Guard { process, pipe })
    }

    /// Tells the guard which process leads the tree.
    pub(super) fn watch(&mut self, leader: Pid) {
        self.say(&leader.as_raw_pid().to_string());
    }

    /// Ends the guard: the tree is gone.
    pub(super) fn dismiss(mut self) {
        self.say(DONE);
        drop(self.pipe.take());
        // It ends at once, because its input has ended.
        let _ = self.process.wait();
    }

    fn say(&mut self, line: &str) {
        if let Some(pipe) = &mut self.pipe
            && let Err(error) = writeln!(pipe, "{line}")
        {
            tracing::warn!(%error, "the guard of the relay is gone");
        }
    }
}

/// The guard process: waits until the relay ends, and kills the tree unless the relay has said that it is gone.
///
/// # Errors
/// Standard input cannot be read.
pub fn serve(mark: &OsStr) -> io::Result<()> {
    // A signal for the relay's process group or from its terminal must not end the guard. Fails if it leads a group already.
    let _ = rustix::process::setsid();
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    if text.lines().any(|line| line == DONE) {
        return Ok(());
    }
    let leader = text.lines().next().and_then(|line| line.parse().ok());
    let tree = MarkedTree {
        mark: mark.to_string_lossy().into_owned(),
        leader: leader.and_then(Pid::from_raw),
    };
    tree.kill();
    Ok(())
}
