//! Configuration: command-line options, environment variables, model providers.

mod agent_config;
pub(crate) mod flags;
mod options;
mod provider;
mod start_error;

pub(crate) use agent_config::*;
pub(crate) use options::{
    CliOptions, CommandLine, Env, Flags, MCP_FLAGS, Question, UnknownArguments,
};
use provider::KnownProvider;
pub(crate) use start_error::{ArgumentError, FATAL, StartError, USAGE};
