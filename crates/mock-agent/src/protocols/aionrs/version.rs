//! The versions of aionrs.

/// A version of the protocol; the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum AionrsVersion {
    #[default]
    V0_1,
    /// Has slash commands, a configuration that the host can change, MCP servers that it can add, and `ping`.
    V0_2,
}
