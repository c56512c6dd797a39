//! The command line of `conform`, and the schemas of the files that people write for it. The implementation is in the packages of
//! `crates/`.

pub mod cli;
pub mod editor_schemas;
mod project_config;
