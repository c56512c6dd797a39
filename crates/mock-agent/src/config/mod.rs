//! Configuration: command-line options, environment variables, model providers.

mod agent_config;
mod argument_error;
pub(crate) mod flags;
pub(crate) mod options;
pub(crate) mod provider;
mod start_error;

pub(crate) use agent_config::*;
pub(crate) use argument_error::ArgumentError;
pub(crate) use options::Env;
pub(crate) use start_error::{FATAL, StartError, USAGE};
