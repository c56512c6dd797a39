//! The guard: a small process next to the relay that kills the agent's process tree if the relay dies without doing so.

use process_list::{Killing, POLL_INTERVAL, kill_group, living};
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

/// The subcommand of this program that is the guard.
pub const SUBCOMMAND: &str = "relay-guard";

/// The line that the relay writes when there is nothing left to kill.
const DONE: &str = "done";

/// The processes of one agent: its process group and session, and on Linux everything that has inherited the mark in its environment.
#[derive(Debug, Clone)]
pub(super) struct MarkedTree {
    /// The name of an environment variable that only these processes have.
    pub(super) mark: String,
    pub(super) leader: Option<Pid>,
}

impl MarkedTree {
    /// A tree with a new mark, before its leader is started.
    pub(super) fn new() -> Self {
        MarkedTree {
            mark: format!("CONFORM_RELAY_{}", std::process::id()),
            leader: None,
        }
    }

    /// Kills the whole tree, waits until it is gone, and returns how many processes other than the leader were killed.
    pub(super) fn kill(&self) -> usize {
        let mut killing = Killing::default();
        loop {
            let goes_on = killing.goes_on(&self.members());
            self.leader.into_iter().for_each(kill_group);
            if !goes_on {
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        let others = killing
            .killed()
            .iter()
            .filter(|pid| Some(**pid) != self.leader);
        others.count()
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
        let members = process_list::all().filter(is_member);
        living(members.collect(), self.leader)
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

    /// Sends the guard the process that leads the tree.
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

/// The guard process: waits until the relay ends, and kills the tree unless the relay has reported that it is gone.
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
