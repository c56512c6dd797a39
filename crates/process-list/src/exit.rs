//! The exit of a child, noticed at once and reaped without a hurry.

use crate::ids::group_id;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{LazyLock, mpsc};
use std::time::Duration;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

/// How long after its exit a child is reaped. Linux reports the exit while the last thread of the child still removes its entries from
/// `/proc`. Reaping it at that moment waits for this thread without letting it run, for up to seconds on a busy machine.
const REST: Duration = Duration::from_millis(1);

/// The same where nobody waits for it.
const LONG_REST: Duration = Duration::from_millis(100);

/// Waits for a child to exit, and reaps it. Can be dropped and called again.
///
/// # Errors
/// As for [`Child::wait`].
pub async fn exit_of(child: &mut Child) -> io::Result<ExitStatus> {
    if exited(child).await.is_some() {
        tokio::time::sleep(REST).await;
    }
    child.wait().await
}

/// Waits for a child to exit, and leaves it to [`reap_later`]. Can be dropped and called again.
///
/// # Errors
/// As for [`Child::wait`], where the system cannot wait without reaping.
pub async fn status_of(child: &mut Child) -> io::Result<ExitStatus> {
    match exited(child).await {
        Some(status) => Ok(status),
        None => child.wait().await,
    }
}

/// Reaps a child that has exited, in the background.
pub fn reap_later(mut child: Child) {
    tokio::spawn(async move {
        tokio::time::sleep(LONG_REST).await;
        // Fails if it was reaped before.
        let _ = tokio::task::spawn_blocking(move || child.try_wait()).await;
    });
}

/// Reaps an orphan that has ended and that this process has adopted, in the background. A child that leads a group is left to whoever has
/// started it.
pub(crate) fn reap_orphan(pid: Pid) {
    static ENDED: LazyLock<mpsc::Sender<Pid>> = LazyLock::new(|| {
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(first) = ended.recv() {
                std::thread::sleep(LONG_REST);
                for pid in std::iter::once(first).chain(ended.try_iter()) {
                    if group_id(pid).is_some_and(|group| group != pid.as_raw_pid()) {
                        // Fails if it is no child of this process.
                        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
                    }
                }
            }
        });
        sender
    });
    // Fails if the thread could not be started; the orphan is reaped when this process ends.
    let _ = ENDED.send(pid);
}

/// Waits until a child has exited, without reaping it; `None` if it was reaped before, or if the system cannot wait so.
async fn exited(child: &Child) -> Option<ExitStatus> {
    let pid = Pid::from_raw(i32::try_from(child.id()?).ok()?)?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut exits = signal(SignalKind::child()).ok()?;
    loop {
        if let Some(end) = waitid(WaitId::Pid(pid), look).ok()? {
            /// Of a status, that the process has dumped its memory.
            const DUMPED: i32 = 0x80;
            let dumped = if end.dumped() { DUMPED } else { 0 };
            let exited = end.exit_status().map(|code| (code & 0xff) << 8);
            let raw = exited.or_else(|| Some(end.terminating_signal()? | dumped));
            return raw.map(ExitStatus::from_raw);
        }
        exits.recv().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::process::Command;

    #[tokio::test]
    async fn the_status_of_a_child_arrives_also_after_the_wait_was_dropped() {
        let mut child = Command::new("sh")
            .args(["-c", "read line; exit 3"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let soon = Duration::from_millis(20);
        assert!(
            tokio::time::timeout(soon, exit_of(&mut child))
                .await
                .is_err()
        );
        drop(child.stdin.take());
        for _ in 0..2 {
            assert_eq!(status_of(&mut child).await.unwrap().code(), Some(3));
        }
        for _ in 0..2 {
            assert_eq!(exit_of(&mut child).await.unwrap().code(), Some(3));
        }
    }

    #[tokio::test]
    async fn a_signal_that_ends_a_child_is_its_status_before_and_after_it_is_reaped() {
        let mut child = Command::new("sh")
            .args(["-c", "kill -9 $$"])
            .spawn()
            .unwrap();
        let status = status_of(&mut child).await.unwrap();
        assert_eq!((status.code(), status.signal()), (None, Some(9)));
        assert_eq!(exit_of(&mut child).await.unwrap(), status);
    }

    #[tokio::test]
    async fn a_child_that_is_left_to_be_reaped_is_reaped() {
        let mut child = Command::new("true").spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        assert!(status_of(&mut child).await.unwrap().success());
        assert!(rustix::process::test_kill_process(pid.unwrap()).is_ok());
        reap_later(child);
        while rustix::process::test_kill_process(pid.unwrap()).is_ok() {
            tokio::task::yield_now().await;
        }
    }
}
