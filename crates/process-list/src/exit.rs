//! The exit of a child, noticed without a hurry.

use std::io;
use std::process::ExitStatus;
use tokio::process::Child;

/// How long after its exit a child is reaped, on Linux. The system reports the exit while the last thread of the child still removes its
/// entries from `/proc`. Reaping it at that moment waits for this thread without letting it run, for up to seconds on a busy machine.
#[cfg(target_os = "linux")]
const REST: std::time::Duration = std::time::Duration::from_millis(1);

/// Waits for a child to exit, and reaps it. Can be dropped and called again.
///
/// # Errors
/// As for [`Child::wait`].
pub async fn exit_of(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(target_os = "linux")]
    if exited(child).await.is_some() {
        tokio::time::sleep(REST).await;
    }
    child.wait().await
}

/// Waits until a child has exited, without reaping it; `None` if it was reaped before, or if the system cannot wait so.
#[cfg(target_os = "linux")]
async fn exited(child: &Child) -> Option<()> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::{Interest, unix::AsyncFd};
    let pid = Pid::from_raw(i32::try_from(child.id()?).ok()?)?;
    let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    let process = AsyncFd::register_with_interest(process, Interest::READABLE).ok()?;
    let _ready = process.readable().await.ok()?;
    Some(())
}
