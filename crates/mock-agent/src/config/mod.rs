//! Configuration: command-line options, environment variables, model providers.

mod agent_config;
mod dialect_files;
pub(crate) mod options;
pub(crate) mod provider;
mod start_error;

pub(crate) use agent_config::*;
pub use dialect_files::DialectFiles;
pub(crate) use options::Env;
pub(crate) use start_error::{FATAL, StartError, USAGE};
