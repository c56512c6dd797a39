//! The errors that end a command early, each with its exit status.

use super::catalogue::render_errors;
use super::exit::ExitStatus;
use conform_runner::SpawnError;
use conform_runner::detect::detector::DetectError;
use spanned_yaml::Error;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::Path;

/// Why a command ended early: the exit status and a message.
#[derive(Debug)]
pub(super) struct CommandError {
    pub(super) status: ExitStatus,
    pub(super) message: String,
}

impl CommandError {
    fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        let message = message.into();
        CommandError { status, message }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        CommandError::new(ExitStatus::Usage, message)
    }

    pub(super) fn violations(message: impl Into<String>) -> Self {
        CommandError::new(ExitStatus::Violations, message)
    }

    pub(super) fn incomplete(message: impl Into<String>) -> Self {
        CommandError::new(ExitStatus::Incomplete, message)
    }

    pub(super) fn harness(message: impl Into<String>) -> Self {
        CommandError::new(ExitStatus::Harness, message)
    }

    /// A file of the user that cannot be read.
    pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| CommandError::usage(format!("{}: cannot be read: {error}", path.display()))
    }

    /// A file of the user that cannot be written.
    pub(super) fn unwritable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| CommandError::usage(format!("cannot write {}: {error}", path.display()))
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What is wrong with the input of the user.
impl From<String> for CommandError {
    fn from(message: String) -> Self {
        CommandError::usage(message)
    }
}

/// A mistake in a file of the user.
impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        vec![error].into()
    }
}

/// Mistakes in files of the user.
impl From<Vec<Error>> for CommandError {
    fn from(errors: Vec<Error>) -> Self {
        CommandError::usage(render_errors(&errors))
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        CommandError::harness(error.to_string())
    }
}

impl From<SpawnError> for CommandError {
    fn from(error: SpawnError) -> Self {
        CommandError::usage(error.to_string())
    }
}

impl From<DetectError> for CommandError {
    fn from(error: DetectError) -> Self {
        match error {
            DetectError::Dialect(errors) => errors.into(),
            DetectError::Usage(message) => CommandError::usage(message),
            DetectError::Incomplete(message) => CommandError::incomplete(message),
            DetectError::Internal(message) => CommandError::harness(message),
        }
    }
}
