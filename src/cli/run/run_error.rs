//! The errors that end `conform run` before there is a report, each with its exit status.

use crate::cli::catalogue;
use crate::cli::exit::ExitStatus;
use conform_runner::detect::detector::DetectError;
use std::io;

/// Why a run ended without a report: the exit status and a message.
#[derive(Debug)]
pub(in crate::cli) struct RunError {
    pub(in crate::cli) status: ExitStatus,
    pub(in crate::cli) message: String,
}

impl RunError {
    pub(in crate::cli) fn usage(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Usage,
            message: message.into(),
        }
    }

    pub(in crate::cli) fn incomplete(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Incomplete,
            message: message.into(),
        }
    }

    pub(in crate::cli) fn harness(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Harness,
            message: message.into(),
        }
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        RunError::harness(error.to_string())
    }
}

impl From<DetectError> for RunError {
    fn from(error: DetectError) -> Self {
        match error {
            DetectError::Dialect(errors) => RunError::usage(catalogue::render_errors(&errors)),
            DetectError::Usage(message) => RunError::usage(message),
            DetectError::Incomplete(message) => RunError::incomplete(message),
            DetectError::Internal(message) => RunError::harness(message),
        }
    }
}
