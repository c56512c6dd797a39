//! The supervisor of an agent's process: waits for it to exit or kills it, kills what is left of its process tree, and reports its end.

use super::process_tree::AgentProcessTree;
use crate::event_queue::EventQueue;
use crate::limits;
use conform_judge::frame::End;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Supervises one process until its process tree is gone.
#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) child: Child,
    pub(super) tree: AgentProcessTree,
    /// The tasks that read its pipes.
    pub(super) readers: Vec<JoinHandle<()>>,
}

impl Supervisor {
    /// Waits for the process to end, or kills its process group when a reason arrives in `kills`. The end goes into the event queue
    /// after the last output of the process.
    pub(super) async fn supervise(
        mut self,
        mut kills: mpsc::UnboundedReceiver<String>,
        queue: Arc<EventQueue>,
    ) {
        let mut killed = None;
        let status = loop {
            tokio::select! {
                biased;
                status = process_list::status_of(&mut self.child) => break status,
                Some(why) = kills.recv() => {
                    self.tree.kill_whole_group();
                    killed.get_or_insert(why);
                }
            }
        };
        let orphans = match killed {
            Some(_) => self.tree.kill_all().await,
            None => self.tree.kill_after_grace(&mut kills).await,
        };
        for reader in self.readers {
            finish_reading(reader, &queue).await;
        }
        queue.wait_for_exchanges(limits::EXCHANGE_TIMEOUT).await;
        queue.end_session(end_of(status, killed, orphans));
        process_list::reap_later(self.child);
    }
}

/// Waits until a pipe is read to its end. Gives up when nothing more arrives, since a process that escaped the tree may hold the pipe open.
async fn finish_reading(mut reader: JoinHandle<()>, queue: &EventQueue) {
    let (_, mut bytes) = queue.progress();
    while tokio::time::timeout(limits::PIPE_TIMEOUT, &mut reader)
        .await
        .is_err()
    {
        let (blocked, now) = queue.progress();
        if !blocked && now == bytes {
            tracing::debug!("a pipe of the agent is held open by a process that cannot be killed");
            reader.abort();
            return;
        }
        bytes = now;
    }
}

fn end_of(status: std::io::Result<ExitStatus>, killed: Option<String>, orphans: u32) -> End {
    let status = status.unwrap_or_else(|error| {
        tracing::warn!(%error, "the agent's exit status was lost");
        ExitStatus::default()
    });
    match (status.code(), status.signal(), killed) {
        (Some(code), _, _) => End::Exited { code, orphans },
        (None, _, Some(why)) => End::Killed { why },
        (None, signal, None) => End::Signalled {
            signal: signal.unwrap_or_default(),
            orphans,
        },
    }
}
