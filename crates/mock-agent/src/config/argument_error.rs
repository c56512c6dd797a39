//! What is wrong with an argument of the command line.

use thiserror::Error;

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
