//! How work ends early: by a failure, or because it is stopped.

use crate::model::ModelError;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What kind of failure.
    pub(crate) code: Code,
    /// In words, for the user.
    pub(crate) message: String,
    /// Whether the same again may work.
    pub(crate) retryable: bool,
}

/// The kinds of [`Failure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// The model's API.
    Provider,
    /// A tool that could not be called.
    Tool,
    /// Settings.
    Config,
    /// A bad command of the host.
    Protocol,
    /// The agent itself.
    Internal,
}

impl Failure {
    /// A failure that will come again.
    pub(crate) fn lasting(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            retryable: false,
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Failure {
            code: Code::Provider,
            message: error.message,
            retryable: error.retryable,
        }
    }
}

/// Why a turn is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The host wants it.
    Stop,
    /// The agent is about to exit.
    Exit,
}
