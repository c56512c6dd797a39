//! Why the agent does not start, and the exit status for it.

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
    /// The exit status: of a mistake in the command line, a variable or a file that the user names, or of another missing prerequisite.
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

/// What is wrong with an argument of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ArgumentError {
    #[error("Unknown argument: {argument}{}", or_near(.near.as_deref()))]
    Unknown {
        argument: String,
        /// The flag that it is like.
        near: Option<String>,
    },
    #[error("Unknown argument: {file}: no file can be attached in this mode")]
    File { file: String },
    #[error("{flag} needs a value")]
    NoValue { flag: String },
    #[error("{flag} takes no value")]
    UnexpectedValue { flag: String },
    #[error("{flag}: {value:?} is not a number from 1")]
    NotACount { flag: String, value: String },
    #[error("{flag}: {value:?} is not accepted, only {known}")]
    NotOneOf {
        flag: String,
        value: String,
        known: String,
    },
    #[error("{one} and {other} exclude each other")]
    Exclusive {
        one: &'static str,
        other: &'static str,
    },
}

fn or_near(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean {near}?"))
}
