//! The project's `conform.yaml`: defaults for options.

use super::catalogue::render_errors;
use crate::dialect::ToolName;
use indexmap::IndexMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The file, in the current folder.
pub(super) const FILE: &str = "conform.yaml";

/// The contents of `conform.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProjectConfig {
    /// The agent's program and its arguments, for `conform run` without an agent.
    pub(super) agent: Vec<String>,
    /// As `--dialect`.
    pub(super) dialect: Option<String>,
    /// As `--dialect-dir`.
    pub(super) dialect_dir: Option<PathBuf>,
    /// As `--scenarios`.
    pub(super) scenarios: Vec<PathBuf>,
    /// As `--lacks`.
    pub(super) lacks: Vec<String>,
    /// The names that the agent has for tools, by the names that the scenarios use.
    pub(super) tools: IndexMap<String, ToolName>,
}

/// Reads the file, if there is one.
///
/// # Errors
/// The mistakes in the file, each with its location.
pub(super) fn read_config() -> Result<ProjectConfig, String> {
    if !Path::new(FILE).exists() {
        return Ok(ProjectConfig::default());
    }
    let node = spanned_yaml::load_file(Path::new(FILE)).map_err(|error| error.to_string())?;
    spanned_yaml::decode_all(&node).map_err(|errors| render_errors(&errors))
}
