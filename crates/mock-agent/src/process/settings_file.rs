//! The format of `mock-agent.yaml`: settings for hosts that start the agent without arguments and variables.

use crate::stories;
use mock_provider::script::TextOrNumber;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Settings of the reference agent. Each key is the variable `MOCK_AGENT_` with its name in capitals; a variable that is set takes
/// precedence. Paths are relative to this file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "mock-agent settings")]
pub struct SettingsFile {
    /// The protocol: `NAME@VERSION`, or `NAME` for the version that its hosts speak.
    protocol: Option<String>,
    /// The name of a built-in script, a model script, a scenario, or an agent script for a dialect of your own.
    script: Option<String>,
    /// A folder of dialects of your own.
    dialect_dir: Option<String>,
    /// The dialect of an agent script, `NAME@VERSION`.
    dialect: Option<String>,
    /// The fault to play: `ID` or `ID@turn=N`.
    fault: Option<String>,
    /// The folder for sessions, or `off`.
    sessions: Option<String>,
    /// Scripted MCP tools: a file, the list itself, or `none`.
    mcp: Option<String>,
    /// The number of retries of a failed request to the model.
    retries: Option<u32>,
    /// The timeout for output of the model, in milliseconds.
    patience_ms: Option<u64>,
    /// How long a gate holds, in milliseconds.
    gate_ms: Option<u64>,
    /// The folder in which the agent registers, so that a test can control it.
    control: Option<String>,
    /// The delay of every output line, in milliseconds.
    latency_ms: Option<u64>,
    /// The speed of replies: `none`, `human`, or a multiple of it.
    pace: Option<TextOrNumber>,
    /// The seed for generated ids.
    seed: Option<u64>,
}

impl SettingsFile {
    /// Reads a settings file.
    ///
    /// # Errors
    /// The first mistake in it, with its location.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let node = spanned_yaml::load_file(path).map_err(|error| error.to_string())?;
        if node.is_null() {
            return Ok(SettingsFile::default());
        }
        spanned_yaml::decode(&node).map_err(|error| error.to_string())
    }

    /// The variables that the file sets.
    pub(super) fn variables(self, file: &Path) -> Vec<(&'static str, String)> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = |path: String| folder.join(path).to_string_lossy().into_owned();
        let script = |script: String| match stories::is_name(&script) {
            true => script,
            false => path(script),
        };
        let sessions = self.sessions.map(|folder| match folder.as_str() {
            "off" => folder,
            _ => path(folder),
        });
        let control = self.control.map(|given| match given.strip_prefix("tcp:") {
            Some(folder) => format!("tcp:{}", path(folder.to_owned())),
            None => path(given),
        });
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let values = [
            (crate::PROTOCOL, self.protocol),
            ("MOCK_AGENT_SCRIPT", self.script.map(script)),
            ("MOCK_AGENT_DIALECT_DIR", self.dialect_dir.map(path)),
            ("MOCK_AGENT_DIALECT", self.dialect),
            ("MOCK_AGENT_FAULT", self.fault),
            ("MOCK_AGENT_SESSIONS", sessions),
            ("MOCK_AGENT_MCP", self.mcp),
            ("MOCK_AGENT_RETRIES", number(self.retries.map(u64::from))),
            ("MOCK_AGENT_PATIENCE_MS", number(self.patience_ms)),
            ("MOCK_AGENT_GATE_MS", number(self.gate_ms)),
            ("MOCK_AGENT_CONTROL", control),
            ("MOCK_AGENT_LATENCY_MS", number(self.latency_ms)),
            ("MOCK_AGENT_PACE", self.pace.map(|pace| pace.0)),
            ("MOCK_AGENT_SEED", number(self.seed)),
        ];
        let set = values.into_iter();
        set.filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SettingsFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mock-agent.yaml");
        std::fs::write(&path, text).unwrap();
        SettingsFile::read(&path)
    }

    #[test]
    fn the_file_sets_variables_and_its_paths_are_relative_to_it() {
        let file = read("protocol: a@1\nscript: s.yaml\nsessions: off\nlatency_ms: 5\n").unwrap();
        assert_eq!(
            file.variables(Path::new("/d/mock-agent.yaml")),
            [
                ("MOCK_AGENT_PROTOCOL", "a@1".to_owned()),
                ("MOCK_AGENT_SCRIPT", "/d/s.yaml".to_owned()),
                ("MOCK_AGENT_SESSIONS", "off".to_owned()),
                ("MOCK_AGENT_LATENCY_MS", "5".to_owned()),
            ]
        );
        assert_eq!(read(""), Ok(SettingsFile::default()));
    }

    #[test]
    fn a_mistake_has_its_location() {
        let why = read("protcol: a").unwrap_err();
        assert!(why.contains("did you mean `protocol`?"), "{why}");
        assert!(why.contains("mock-agent.yaml:1:1"), "{why}");
    }
}
