//! Kills the process tree of an agent: its process group, and on Linux also the processes that have left the group.
//!
//! The agent leads a process group of its own. Processes that have left it are found because `conform` is a child subreaper
//! (`adopt_orphans`): the orphans of an agent become children of `conform`, and those of one agent have the HOME of its sandbox, or work in its
//! workspace.

use super::agent_process::LaunchCommand;
use process_list::{Killing, POLL_INTERVAL, RunningProcess, kill_group, living};
use rustix::process::Pid;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The leaders of the process trees that are supervised now. They are children of this process and not orphans of an agent.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The agents that ran, in the order of their ends.
static LIFETIMES: Mutex<Vec<Lifetime>> = Mutex::new(Vec::new());

/// When an agent ran, and for which scenario.
#[derive(Debug)]
struct Lifetime {
    began: Instant,
    ended: Instant,
    purpose: String,
}

/// A process that was left behind, and that no process tree could be assigned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayProcess {
    /// Its command line.
    pub command_line: String,
    /// The ids of the scenarios whose agents were running when it began.
    pub began_during: Vec<String>,
}

/// The process tree of one agent.
#[derive(Debug)]
pub(super) struct AgentProcessTree {
    leader: Pid,
    marker: OsString,
    workspace: PathBuf,
    grace: Duration,
    began: Instant,
    purpose: String,
}

/// The interval to which the polling backs off.
const LONGEST_POLL_INTERVAL: Duration = Duration::from_millis(50);

impl AgentProcessTree {
    pub(super) fn new(leader: Pid, launch: &LaunchCommand, grace: Duration) -> Self {
        leaders().insert(leader.as_raw_pid());
        AgentProcessTree {
            leader,
            marker: launch.marker.clone(),
            workspace: launch.dir.canonicalize().unwrap_or(launch.dir.clone()),
            grace,
            began: Instant::now(),
            purpose: launch.purpose.clone(),
        }
    }

    pub(super) fn kill_whole_group(&self) {
        kill_group(self.leader);
    }

    /// Kills what outlives the leader, which has exited by itself, after a grace period. Returns how many processes were killed.
    pub(super) async fn kill_after_grace(
        &self,
        kills: &mut mpsc::UnboundedReceiver<String>,
    ) -> u32 {
        let (until, mut interval) = (Instant::now() + self.grace, POLL_INTERVAL);
        if !self.has_survivors() {
            // One look may miss a process that gets another parent or program at this moment.
            tokio::time::sleep(interval).await;
        }
        while self.has_survivors() {
            if Instant::now() >= until {
                return self.kill_all().await;
            }
            tokio::select! {
                biased;
                Some(_) = kills.recv() => return self.kill_all().await,
                () = tokio::time::sleep(interval) => {}
            }
            interval = (interval * 2).min(LONGEST_POLL_INTERVAL);
        }
        0
    }

    fn has_survivors(&self) -> bool {
        !self.members().is_empty() || process_list::IS_STUB && self.has_group()
    }

    /// Whether the agent's process group has a member.
    fn has_group(&self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// Kills the process tree with SIGKILL, except for its leader, which the supervisor kills, and waits until it is gone. Returns how many
    /// processes it killed, without those that the agent itself had already sent a SIGKILL.
    pub(super) async fn kill_all(&self) -> u32 {
        if process_list::IS_STUB && self.has_group() {
            self.kill_whole_group();
            return 1;
        }
        let (mut killing, mut interval) = (Killing::default(), POLL_INTERVAL);
        while killing.goes_on(&self.members()) {
            tokio::time::sleep(interval).await;
            interval = (interval * 2).min(LONGEST_POLL_INTERVAL);
        }
        u32::try_from(killing.killed().len()).unwrap_or(u32::MAX)
    }

    /// The living processes of the tree without its leader. Zombies among them are reaped.
    fn members(&self) -> Vec<Pid> {
        let mut members = Vec::new();
        if self.has_group() {
            members.extend(process_list::group_of(self.leader));
        }
        let known = leaders().clone();
        let orphans = process_list::orphans(|pid| known.contains(&pid));
        members.extend(orphans.into_iter().filter(|orphan| {
            !orphan.ended
                && (orphan.has_in_environment(&self.marker) || orphan.works_in(&self.workspace))
        }));
        members.retain(|found| found.pid != self.leader);
        living(members, None)
    }
}

impl Drop for AgentProcessTree {
    fn drop(&mut self) {
        leaders().remove(&self.leader.as_raw_pid());
        locked(&LIFETIMES).push(Lifetime {
            began: self.began,
            ended: Instant::now(),
            purpose: std::mem::take(&mut self.purpose),
        });
    }
}

/// Marks a process that conform runs for an agent: it is no orphan of the agent.
#[derive(Debug)]
pub(crate) struct NotOfAgent(Pid);

impl NotOfAgent {
    pub(crate) fn mark(pid: Pid) -> Self {
        leaders().insert(pid.as_raw_pid());
        NotOfAgent(pid)
    }
}

impl Drop for NotOfAgent {
    fn drop(&mut self) {
        leaders().remove(&self.0.as_raw_pid());
    }
}

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    locked(&LEADERS)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StrayProcess {
    fn new(process: &RunningProcess) -> Self {
        /// The precision with which the system reports when a process began.
        const PRECISION: Duration = Duration::from_millis(20);
        let began = process
            .age()
            .and_then(|age| Instant::now().checked_sub(age));
        let ran = |one: &&Lifetime| {
            began.is_some_and(|began| {
                one.began <= began + PRECISION && began <= one.ended + PRECISION
            })
        };
        StrayProcess {
            command_line: process.command_line(),
            began_during: (locked(&LIFETIMES).iter().filter(ran))
                .map(|one| one.purpose.clone())
                .collect(),
        }
    }
}

/// Kills every child of this process: orphans of agents that no process tree could be assigned to. Returns those that were killed.
///
/// For the end of a run, when no agent is running any more.
pub fn kill_stray_processes() -> Vec<StrayProcess> {
    let mut killing = Killing::default();
    let mut strays = HashMap::new();
    loop {
        let children = process_list::orphans(|_| false);
        for child in children.iter().filter(|child| !child.ended) {
            strays
                .entry(child.pid)
                .or_insert_with(|| StrayProcess::new(child));
        }
        if !killing.goes_on(&living(children, None)) {
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let killed = killing.killed().iter();
    killed.filter_map(|pid| strays.remove(pid)).collect()
}
