//! The JSON Schemas of our own files, for editors.

use super::file::ScenarioFile;
use crate::own_schema;
use mock_provider::Script;
use serde_json::Value;

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    own_schema::of::<ScenarioFile>("conform:scenario", "conform scenario")
}

/// The schema of a file that holds a model script alone.
#[must_use]
pub fn script_schema() -> Value {
    own_schema::of::<Script>("conform:script", "conform model script")
}
