//! Why the agent does not start, and the exit status for it.

use super::ArgumentError;
use crate::built_in_scripts::ScriptError;
use crate::model::UrlError;
use crate::session_store::StoreError;
use crate::tools::{McpListError, WorkspaceError};
use thiserror::Error;

/// Exit status after a mistake of the user.
pub(crate) const USAGE: u8 = 2;

/// Exit status after another fatal error.
pub(crate) const FATAL: u8 = 1;

#[derive(Debug, Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    SettingsFile(#[from] spanned_yaml::Error),
    #[error("the runtime does not start: {0}")]
    Runtime(std::io::Error),
    /// The protocol, the dialect, the clock, the control folder or the fault that the user names.
    #[error("{0}")]
    Setting(String),
    #[error("{setting}: {value:?} is not a number")]
    NotANumber { setting: String, value: String },
    #[error("{setting}: {why}")]
    Pace { setting: &'static str, why: String },
    #[error("Unknown provider: {name}")]
    UnknownProvider { name: String },
    #[error("The base URL {0}")]
    BaseUrl(#[from] UrlError),
    #[error(transparent)]
    McpList(#[from] McpListError),
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error("{variables} not set")]
    MissingVariables { variables: String },
    #[error("Sessions are switched off (MOCK_AGENT_SESSIONS)")]
    SessionsOff,
    #[error(transparent)]
    Session(#[from] StoreError),
    /// A file of the real agent, such as its settings or a session.
    #[error("{0}")]
    AgentFile(String),
}

impl StartError {
    /// The exit status: of a mistake in the command line, a variable or a file that the user names, or of something else that is missing.
    pub(crate) fn status(&self) -> u8 {
        match self {
            StartError::MissingVariables { .. }
            | StartError::SessionsOff
            | StartError::Session(_)
            | StartError::AgentFile(_) => FATAL,
            _ => USAGE,
        }
    }
}
