//! JSON Schemas of conform's own files, generated from Rust types: for editors, and for programs that read reports.

use crate::report::Report;
use crate::scenario::ScenarioFile;
use mock_agent::{AgentScriptFile, SettingsFile};
use mock_provider::Script;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A file name and the function that generates its schema.
pub type Generated = (&'static str, fn() -> Value);

/// Every generated schema, by its file name in `schemas/conform/`.
pub const GENERATED: &[Generated] = &[
    ("scenario", scenario_schema),
    ("script", script_schema),
    ("agent-script", agent_script_schema),
    ("mock-agent", mock_agent_schema),
    ("report", report_schema),
];

/// The schema of a type, with its id and title in front.
#[must_use]
fn of<T: JsonSchema>(id: &str, title: &str) -> Value {
    let generated = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let mut schema = Map::new();
    for (key, value) in [("$schema", DRAFT), ("$id", id), ("title", title)] {
        schema.insert(key.to_owned(), value.into());
    }
    for (key, value) in generated.as_object().into_iter().flatten() {
        schema.entry(key).or_insert_with(|| value.clone());
    }
    schema.into()
}

/// The schema of a JSON report.
#[must_use]
pub fn report_schema() -> Value {
    of::<Report>("conform:report", "conform report")
}

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    of::<ScenarioFile>("conform:scenario", "conform scenario")
}

/// The schema of a file that holds a model script alone.
#[must_use]
pub fn script_schema() -> Value {
    of::<Script>("conform:script", "conform model script")
}

/// The schema of an agent script.
#[must_use]
pub fn agent_script_schema() -> Value {
    of::<AgentScriptFile>("conform:agent-script", "conform agent script")
}

/// The schema of `mock-agent.yaml`.
#[must_use]
pub fn mock_agent_schema() -> Value {
    of::<SettingsFile>("conform:mock-agent", "mock-agent settings")
}
