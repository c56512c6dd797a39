//! The versions of pi.

/// A version of the protocol; the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum PiVersion {
    /// Four commands without responses (`v0_14.rs`), and one session.
    V0_14,
    /// Has commands with responses, queues, retries, extensions, and sessions in files.
    #[default]
    V0_73,
    /// Shows the host the session as a tree of entries, and streams only the new part instead of the message so far.
    V0_87,
    /// Says what became of a message, whether a run was aborted, how long a tool ran, and which tools it called.
    V1_6,
}
