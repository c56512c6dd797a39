//! JSON Schemas of the files that people write for conform and that conform writes, for editors and for programs. All but the
//! transcript's are generated from the Rust types that the loaders use.

use crate::project_config::ProjectConfig;
use conform_dialect::file::{ClauseFile, DialectFile};
use conform_dialect::ordering::file::OrderingFile;
use conform_report::Report;
use conform_report::baseline::BaselineFile;
use conform_runner::mutation::bad_hosts::BadHost;
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
    /// Its JSON Schema.
    pub schema: fn() -> Value,
}

/// Every file format.
pub const FORMATS: &[FileFormat] = &[
    FileFormat {
        name: "scenario",
        files: "scenarios/**/*.yaml",
        schema: || of::<ScenarioFile>("scenario", "conform scenario"),
    },
    FileFormat {
        name: "script",
        files: "a model script: --script of mock-agent and `conform provider`",
        schema: || of::<Script>("script", "conform model script"),
    },
    FileFormat {
        name: "agent-script",
        files: "an agent script: --script of mock-agent with --dialect-dir",
        schema: || of::<AgentScriptFile>("agent-script", "conform agent script"),
    },
    FileFormat {
        name: "dialect",
        files: "dialect.yaml",
        schema: || of::<DialectFile>("dialect", "conform dialect"),
    },
    FileFormat {
        name: "clauses",
        files: "clauses.yaml of a dialect",
        schema: || of::<Vec<ClauseFile>>("clauses", "conform clauses"),
    },
    FileFormat {
        name: "ordering",
        files: "ordering.yaml of a dialect",
        schema: || of::<OrderingFile>("ordering", "conform ordering rules"),
    },
    FileFormat {
        name: "hosts",
        files: "hosts.yaml of a dialect",
        schema: || of::<Vec<BadHost>>("hosts", "conform bad hosts"),
    },
    FileFormat {
        name: "faults",
        files: "faults.yaml of a dialect",
        schema: || of::<FaultsFile>("faults", "conform faults"),
    },
    FileFormat {
        name: "config",
        files: "conform.yaml",
        schema: || of::<ProjectConfig>("config", "conform.yaml"),
    },
    FileFormat {
        name: "baseline",
        files: "--baseline of `conform run` and `conform check`",
        schema: || of::<BaselineFile>("baseline", "conform baseline"),
    },
    FileFormat {
        name: "mock-agent",
        files: "mock-agent.yaml, the settings of an installed mock-agent",
        schema: || of::<SettingsFile>("mock-agent", "mock-agent settings"),
    },
    FileFormat {
        name: "control",
        files: "a request to a controlled mock-agent or `conform provider`, one on a line",
        schema: || of::<Request>("control", "conform control request"),
    },
    FileFormat {
        name: "report",
        files: "--report json=FILE",
        schema: || of::<Report>("report", "conform report"),
    },
    FileFormat {
        name: "transcript",
        files: "a line of a transcript",
        schema: || {
            serde_json::from_str(include_str!("../schemas/conform/transcript.json"))
                .unwrap_or_default()
        },
    },
];

/// The schema of the format with this name; `null` if there is none.
#[must_use]
pub fn file_schema(name: &str) -> Value {
    let format = FORMATS.iter().find(|format| format.name == name);
    format.map_or(Value::Null, |format| (format.schema)())
}

/// The schema of a type, with its id and title in front.
fn of<T: JsonSchema>(name: &str, title: &str) -> Value {
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
