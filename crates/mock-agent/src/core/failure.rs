//! Failures, and the reasons for stopping a turn.

use crate::model::ModelError;

/// A failure that is reported to the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) source: FailureSource,
    /// A description for the user.
    pub(crate) message: String,
    /// Whether a retry may succeed.
    pub(crate) retryable: bool,
}

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureSource {
    /// The model's API has failed.
    Provider,
    /// The call of a tool is invalid.
    Tool,
    /// A setting is invalid.
    Config,
    /// A command of the host is invalid.
    Protocol,
    /// The agent itself has failed.
    Internal,
}

impl Failure {
    /// A failure that a retry does not help against.
    pub(crate) fn permanent(source: FailureSource, message: impl Into<String>) -> Self {
        Failure {
            source,
            message: message.into(),
            retryable: false,
        }
    }

    /// The failure of an invalid command.
    pub(crate) fn protocol(why: impl Into<String>) -> Self {
        Failure::permanent(FailureSource::Protocol, why)
    }
}

impl From<String> for Failure {
    /// The failure of an invalid command.
    fn from(why: String) -> Self {
        Failure::protocol(why)
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Failure {
            source: FailureSource::Provider,
            message: error.to_string(),
            retryable: error.is_retryable(),
        }
    }
}

/// Why a turn is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The host has asked for it.
    Stop,
    /// The agent is about to exit.
    Exit,
}
