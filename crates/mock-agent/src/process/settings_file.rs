//! The format of `mock-agent.yaml`: settings for hosts that start the agent without arguments and variables.

use crate::built_in_scripts;
use mock_provider::script::TextOrNumber;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Settings of the reference agent. Each key is the variable `MOCK_AGENT_` with its name in capitals; a variable that is set takes
/// precedence. Paths are relative to this file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "mock-agent settings")]
pub struct SettingsFile {
    /// The protocol: `NAME@VERSION`, or `NAME` for the version that its hosts speak.
    protocol: Option<String>,
    /// The name of a built-in script, a model script, a scenario, or an agent script; takes precedence over a base URL.
    script: Option<String>,
    /// A folder of dialects, NAME/VERSION, which take precedence over the built-in ones.
    dialect_dir: Option<String>,
    /// The dialect of an agent script, `NAME@VERSION`.
    dialect: Option<String>,
    /// The fault to play: `ID` or `ID@turn=N`.
    fault: Option<String>,
    /// The folder for sessions, or `off`; by default .mock-agent/sessions in the workspace.
    sessions: Option<String>,
    /// Scripted MCP tools: a file, the list itself, or `none`.
    mcp: Option<String>,
    /// The number of retries of a failed request to the model; by default 2 for an interrupted stream, else 0.
    retries: Option<u32>,
    /// The timeout for output of the model, in milliseconds; by default 120000.
    patience_ms: Option<u64>,
    /// How long a gate holds, in milliseconds; by default 200, with a control folder 60000.
    gate_ms: Option<u64>,
    /// The folder in which the agent registers, so that a test can control it.
    control: Option<String>,
    /// Whether sessions require a login (Agent Client Protocol); by default false.
    login: Option<bool>,
    /// The delay of every output line, in milliseconds; by default 0.
    latency_ms: Option<u64>,
    /// The clock of retries, delays and the pace: how many times as fast as it runs, or `stopped` until a test advances it; by default 1.
    clock: Option<TextOrNumber>,
    /// The speed of replies: `none`, `human`, or a multiple of it.
    pace: Option<TextOrNumber>,
    /// The seed for generated ids; by default 0.
    seed: Option<u64>,
}

/// How the variables of the agent begin.
pub(super) const PREFIX: &str = "MOCK_AGENT_";

/// The variable of a key.
fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase())
}

impl SettingsFile {
    /// Reads a settings file.
    ///
    /// # Errors
    /// The first mistake in it, with its location.
    pub(super) fn read(path: &Path) -> Result<Self, spanned_yaml::Error> {
        let node = spanned_yaml::load_file(path)?;
        if node.is_null() {
            return Ok(SettingsFile::default());
        }
        spanned_yaml::decode(&node)
    }

    /// The variables of all keys, with their meaning.
    pub(super) fn described() -> Vec<(String, String)> {
        let schema = schema_for!(SettingsFile);
        let keys = schema.get("properties").and_then(Value::as_object);
        let described = keys.into_iter().flatten().map(|(key, property)| {
            let text = property["description"].as_str().unwrap_or_default();
            (variable(key), text.trim_end_matches('.').replace('`', ""))
        });
        described.collect()
    }

    /// The variables of all keys.
    pub(super) fn all_variables() -> Vec<String> {
        let keys = serde_json::to_value(SettingsFile::default()).unwrap_or_default();
        let keys = keys.as_object().into_iter().flatten();
        keys.map(|(key, _)| variable(key)).collect()
    }

    /// The variables that the file sets.
    pub(super) fn variables(&self, file: &Path) -> Vec<(String, String)> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = |path: &str| folder.join(path).to_string_lossy().into_owned();
        let keys = serde_json::to_value(self).unwrap_or_default();
        let set = keys.as_object().into_iter().flatten();
        let variables = set.filter_map(|(key, value)| {
            let text = match value {
                Value::Null => return None,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let is_no_path = match key.as_str() {
                "script" => built_in_scripts::is_name(&text),
                "sessions" => text == "off",
                "control" | "dialect_dir" => false,
                _ => true,
            };
            let value = match text.strip_prefix("tcp:") {
                _ if is_no_path => text,
                Some(folder) => format!("tcp:{}", path(folder)),
                None => path(&text),
            };
            Some((variable(key), value))
        });
        variables.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SettingsFile, spanned_yaml::Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mock-agent.yaml");
        std::fs::write(&path, text).unwrap();
        SettingsFile::read(&path)
    }

    #[test]
    fn the_file_sets_variables_and_its_paths_are_relative_to_it() {
        let text = "protocol: a@1\nscript: s.yaml\nsessions: off\ncontrol: tcp:c\nlatency_ms: 5\npace: 2\n";
        let variables = read(text)
            .unwrap()
            .variables(Path::new("/d/mock-agent.yaml"));
        let expected = [
            ("PROTOCOL", "a@1"),
            ("SCRIPT", "/d/s.yaml"),
            ("SESSIONS", "off"),
            ("CONTROL", "tcp:/d/c"),
            ("LATENCY_MS", "5"),
            ("PACE", "2"),
        ];
        let expected = expected.map(|(key, value)| (variable(key), value.to_owned()));
        assert_eq!(variables, expected);
        assert_eq!(read(""), Ok(SettingsFile::default()));
    }
}
