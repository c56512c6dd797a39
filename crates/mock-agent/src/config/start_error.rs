//! Why the agent does not start, and the exit status for it.

use std::fmt;

/// Exit status after a mistake of the user.
pub(crate) const USAGE: u8 = 2;

/// Exit status after another fatal error.
pub(crate) const FATAL: u8 = 1;

/// Why the agent does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartError {
    /// The command line, a variable or a file that the user names has a mistake.
    Usage(String),
    /// Something else is missing, such as an API key or the session to resume.
    Failed(String),
}

impl StartError {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            StartError::Usage(_) => USAGE,
            StartError::Failed(_) => FATAL,
        }
    }
}

impl From<String> for StartError {
    fn from(why: String) -> Self {
        StartError::Failed(why)
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Usage(why) | StartError::Failed(why) => f.write_str(why),
        }
    }
}
