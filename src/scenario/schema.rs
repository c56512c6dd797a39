//! The JSON Schemas of our own files, for editors.

use super::file::ScenarioFile;
use mock_provider::Script;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a scenario file.
#[must_use]
pub fn scenario_schema() -> Value {
    schema::<ScenarioFile>("conform:scenario", "conform scenario")
}

/// The schema of a file that holds a model script alone.
#[must_use]
pub fn script_schema() -> Value {
    schema::<Script>("conform:script", "conform model script")
}

fn schema<T: JsonSchema>(id: &str, title: &str) -> Value {
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
