#![doc = include_str!("../docs/architecture.md")]

pub mod baseline;
pub mod check;
pub mod cli;
pub mod detect;
pub mod dialect;
pub mod duration;
pub mod editor_schemas;
pub mod finding;
pub mod frame;
pub mod framing;
mod id_pattern;
pub mod matcher;
pub mod mutation;
pub mod profile;
mod project_config;
pub mod relay;
pub mod report;
pub mod reporter;
pub mod rules;
pub mod runner;
pub mod scenario;
pub mod schema;
mod shell_words;
mod signals;
pub mod transcript;
