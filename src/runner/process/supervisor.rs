//! From the running agent to its end: waits for it or kills it, clears up behind it, and puts down how it ended.

use super::process_tree::ProcessTree;
use crate::frame::End;
use crate::runner::event_queue::EventQueue;
use crate::runner::limits;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A process that is seen to its end.
#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) child: Child,
    pub(super) started: Instant,
    /// Set when it has ended.
    pub(super) life: Arc<OnceLock<Duration>>,
    pub(super) tree: ProcessTree,
    /// The tasks that read its pipes.
    pub(super) readers: Vec<JoinHandle<()>>,
}

impl Supervisor {
    /// Sees the process to its end, which is put down behind the last thing it wrote.
    pub(super) async fn supervise(
        mut self,
        mut kills: mpsc::UnboundedReceiver<String>,
        queue: Arc<EventQueue>,
    ) {
        let mut killed = None;
        let status = loop {
            tokio::select! {
                biased;
                status = self.child.wait() => break status,
                Some(why) = kills.recv() => {
                    self.tree.kill_whole_group();
                    killed.get_or_insert(why);
                }
            }
        };
        self.life.get_or_init(|| self.started.elapsed());
        let orphans = match killed {
            Some(_) => self.tree.clear().await,
            None => self.tree.settle(&mut kills).await,
        };
        for reader in self.readers {
            finish(reader, &queue).await;
        }
        queue.exchanges_end(limits::EXCHANGE_PATIENCE).await;
        queue.end(end(status, killed, orphans));
    }
}

/// Waits until a pipe is read to its end; given up once nothing more comes although it is being read.
async fn finish(mut reader: JoinHandle<()>, queue: &EventQueue) {
    let (_, mut bytes) = queue.progress();
    while tokio::time::timeout(limits::PIPE_PATIENCE, &mut reader)
        .await
        .is_err()
    {
        let (blocked, now) = queue.progress();
        if !blocked && now == bytes {
            tracing::debug!("a pipe of the agent is held open by a process out of reach");
            reader.abort();
            return;
        }
        bytes = now;
    }
}

fn end(status: std::io::Result<ExitStatus>, killed: Option<String>, orphans: u32) -> End {
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
