//! `conform.yaml`: what a project says once instead of on every command line.

use crate::dialect::ToolName;
use indexmap::IndexMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The file, in the folder where conform is started.
const FILE: &str = "conform.yaml";

/// What a project says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProjectConfig {
    /// As `--dialect`.
    pub(super) dialect: Option<String>,
    /// As `--dialect-dir`.
    pub(super) dialect_dir: Option<PathBuf>,
    /// As `--scenarios`.
    pub(super) scenarios: Vec<PathBuf>,
    /// As `--lacks`.
    pub(super) lacks: Vec<String>,
    /// Tools that the agent calls otherwise than the scenarios do, by the name that those use.
    pub(super) tools: IndexMap<String, ToolName>,
}

/// Reads the file, if there is one.
///
/// # Errors
/// What is wrong with it, at its place.
pub(super) fn read() -> Result<ProjectConfig, String> {
    if !Path::new(FILE).exists() {
        return Ok(ProjectConfig::default());
    }
    let node = spanned_yaml::load_file(Path::new(FILE)).map_err(|error| error.to_string())?;
    spanned_yaml::decode_all(&node).map_err(|errors| spanned_yaml::render_all(&errors))
}
