//! Bounds that keep a run from being drowned or stuck, far above what a well-meant scenario can need.

use std::time::Duration;

/// Bytes of stdout that one process may write.
pub(super) const STDOUT_BYTES: u64 = 64 << 20;
/// Lines of stdout that one process may write.
pub(super) const STDOUT_LINES: u64 = 100_000;
/// Bytes of stderr that are kept; the rest is read and dropped.
pub(super) const STDERR_BYTES: u64 = 1 << 20;
/// Bytes of one line of stderr that are kept.
pub(super) const STDERR_LINE: usize = 64 << 10;
/// Bytes read and not yet looked at, beyond which nothing more is read.
pub(super) const HELD_BYTES: usize = 4 << 20;
/// Things that happened and were not yet looked at, beyond which nothing more is read.
pub(super) const HELD_ITEMS: usize = 4096;
/// Writes to the agent's stdin that may wait for it to read.
pub(super) const STDIN_WRITES: usize = 4096;

/// How long a process that outlives the agent is given to end by itself before it counts as left behind.
pub(super) const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// How long a pipe is read on without news after the last process of the tree has gone.
pub(super) const PIPE_PATIENCE: Duration = Duration::from_secs(1);
/// How long an exchange with the model may take to notice that the agent has gone.
pub(super) const EXCHANGE_PATIENCE: Duration = Duration::from_millis(500);
/// How long a killed process may take to be gone.
pub(super) const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How long an agent that has closed its stdout is given to end before its stdin is closed too.
pub(super) const GOODBYE: Duration = Duration::from_millis(500);
