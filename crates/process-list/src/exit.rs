//! The exit of a child, noticed without a hurry.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

/// How long after its exit a child is reaped. Linux reports the exit while the last thread of the child still removes its entries from
/// `/proc`. Reaping it at that moment waits for this thread without letting it run, for up to seconds on a busy machine.
const REST: Duration = Duration::from_millis(1);

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

/// Waits until a child has exited, without reaping it; `None` if it was reaped before, or if the system cannot wait so.
async fn exited(child: &Child) -> Option<()> {
    let pid = Pid::from_raw(i32::try_from(child.id()?).ok()?)?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut exits = signal(SignalKind::child()).ok()?;
    while waitid(WaitId::Pid(pid), look).ok()?.is_none() {
        exits.recv().await?;
    }
    Some(())
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
            assert_eq!(exit_of(&mut child).await.unwrap().code(), Some(3));
        }
    }
}
