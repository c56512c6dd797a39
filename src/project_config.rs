//! The project's `conform.yaml`: defaults for options.

use conform_judge::dialect::ToolName;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::Error;
use std::path::{Path, PathBuf};

/// The file, in the current folder.
pub(crate) const FILE: &str = "conform.yaml";

/// The contents of `conform.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProjectConfig {
    /// The agent's program and its arguments, for `conform run` without an agent.
    pub(crate) agent: Vec<String>,
    /// As `--agent-file`.
    pub(crate) agent_file: Option<PathBuf>,
    /// As `--dialect`.
    pub(crate) dialect: Option<String>,
    /// As `--dialect-dir`.
    pub(crate) dialect_dir: Option<PathBuf>,
    /// As `--scenarios`.
    pub(crate) scenarios: Vec<PathBuf>,
    /// As `--lacks`.
    pub(crate) lacks: Vec<String>,
    /// The names that the agent has for tools, by the names that the scenarios use.
    pub(crate) tools: IndexMap<String, ToolName>,
}

/// Reads the file, if there is one.
///
/// # Errors
/// The mistakes in the file, each with its location.
pub(crate) fn read_config() -> Result<ProjectConfig, Vec<Error>> {
    if !Path::new(FILE).exists() {
        return Ok(ProjectConfig::default());
    }
    let node = spanned_yaml::load_file(Path::new(FILE)).map_err(|error| vec![error])?;
    spanned_yaml::decode_all(&node)
}
