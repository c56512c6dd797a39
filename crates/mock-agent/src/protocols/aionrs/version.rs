//! The features in which aionrs@0.1 and aionrs@0.2 differ, by name.

/// A version of the protocol; the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum AionrsVersion {
    #[default]
    V0_1,
    V0_2,
}

impl AionrsVersion {
    /// Every version.
    pub(super) fn any(self) -> bool {
        true
    }

    /// The member of a `message` that has its text.
    pub(super) fn message_text_member(self) -> &'static str {
        match self {
            AionrsVersion::V0_1 => "input",
            AionrsVersion::V0_2 => "content",
        }
    }

    /// Messages that begin with a slash are commands.
    pub(super) fn has_slash_commands(self) -> bool {
        self >= AionrsVersion::V0_2
    }

    /// The host can change the configuration, and gets the capabilities and a report for each change.
    pub(super) fn has_config(self) -> bool {
        self >= AionrsVersion::V0_2
    }

    /// `add_mcp_server` connects an MCP server.
    pub(super) fn has_add_mcp_server(self) -> bool {
        self >= AionrsVersion::V0_2
    }

    /// `ping` is answered with `pong`.
    pub(super) fn has_ping(self) -> bool {
        self >= AionrsVersion::V0_2
    }
}
