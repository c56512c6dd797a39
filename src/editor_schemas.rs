//! JSON Schemas of the files that people write for conform and that conform writes, for editors and for programs. All but the
//! transcript's are generated from the Rust types that the loaders use.

use crate::project_config::ProjectConfig;
use conform_dialect::agents::AgentFile;
use conform_dialect::clauses::ClausesFile;
use conform_dialect::file::DialectFile;
use conform_dialect::ordering::file::OrderingFile;
use conform_report::Report;
use conform_report::baseline::BaselineFile;
use conform_runner::explore::file::ExploreFile;
use conform_runner::mutation::bad_hosts::HostsFile;
use conform_runner::scenario::ScenarioFile;
use control_socket::Request;
use frame_faults::file::FaultsFile;
use mock_agent::{AgentScriptFile, SettingsFile};
use mock_provider::Script;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The format of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// Its name: the file name of its schema in `schemas/conform/`, and the argument of `conform schema`.
    pub name: &'static str,
    /// The files that have this format, for people.
    pub files: &'static str,
    title: &'static str,
    /// Makes the schema, with this name and title.
    schema: fn(&str, &str) -> Value,
}

/// A table of formats: the name, the title and the type of the contents, and the files.
macro_rules! formats {
    ($($name:literal $title:literal $contents:ty: $files:literal;)*) => {
        &[
            $(FileFormat { name: $name, files: $files, title: $title, schema: schema_of::<$contents> },)*
            FileFormat { name: "transcript", files: "a line of a transcript", title: "", schema: |_, _| transcript() },
        ]
    };
}

/// Every file format.
pub const FORMATS: &[FileFormat] = formats! {
    "scenario" "conform scenario" ScenarioFile: "scenarios/**/*.yaml";
    "script" "conform model script" Script: "a model script: --script of mock-agent and `conform provider`";
    "agent-script" "conform agent script" AgentScriptFile: "an agent script: --script of mock-agent with --dialect-dir";
    "dialect" "conform dialect" DialectFile: "dialect.yaml, or base.yaml of what versions share";
    "agent" "conform agent file" AgentFile: "agents/*.yaml of a dialect, or --agent-file";
    "clauses" "conform clauses" ClausesFile: "clauses.yaml of a dialect";
    "ordering" "conform ordering rules" OrderingFile: "ordering.yaml of a dialect";
    "hosts" "conform bad hosts" HostsFile: "hosts.yaml of a dialect";
    "faults" "conform faults" FaultsFile: "faults.yaml and variants.yaml of a dialect";
    "explore" "conform exploration" ExploreFile: "explore.yaml of a dialect";
    "config" "conform.yaml" ProjectConfig: "conform.yaml";
    "baseline" "conform baseline" BaselineFile: "--baseline of `conform run` and `conform check`";
    "mock-agent" "mock-agent settings" SettingsFile: "mock-agent.yaml, the settings of an installed mock-agent";
    "control" "conform control request" Request: "a request to a controlled mock-agent or `conform provider`, one on a line";
    "report" "conform report" Report: "--report json=FILE";
};

impl FileFormat {
    /// Its JSON Schema.
    #[must_use]
    pub fn schema(&self) -> Value {
        (self.schema)(self.name, self.title)
    }
}

fn transcript() -> Value {
    let text = include_str!("../schemas/conform/transcript.json");
    serde_json::from_str(text).unwrap_or_default()
}

/// The schema of the format with this name; `null` if there is none.
#[must_use]
pub fn file_schema(name: &str) -> Value {
    let format = FORMATS.iter().find(|format| format.name == name);
    format.map_or(Value::Null, FileFormat::schema)
}

/// The schema of a type, with its id and title in front.
fn schema_of<T: JsonSchema>(name: &str, title: &str) -> Value {
    let generated = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let mut schema = Map::new();
    let id = format!("conform:{name}");
    for (key, value) in [("$schema", DRAFT), ("$id", &id), ("title", title)] {
        schema.insert(key.to_owned(), value.into());
    }
    for (key, value) in generated.as_object().into_iter().flatten() {
        schema.entry(key).or_insert_with(|| value.clone());
    }
    schema.into()
}
