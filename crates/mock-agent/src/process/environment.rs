//! The environment: variables, and a settings file with values for variables that are not set.

use super::choice::DIALECT_DIR_VARIABLE;
use super::run::PARENT_VARIABLE;
use super::settings_file::{PREFIX, SettingsFile};
use crate::config::StartError;
use std::path::{Path, PathBuf};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The variable with the path of the settings file.
const FILE_VARIABLE: &str = "MOCK_AGENT_CONFIG";

/// The variable with the filter of the log.
pub(super) const LOG_VARIABLE: &str = "MOCK_AGENT_LOG";

/// The name of the settings file in the current folder, or in the folder of the program.
const FILE: &str = "mock-agent.yaml";

/// Variables of the process, and of the settings file.
#[derive(Debug, Default)]
pub(super) struct Environment {
    file: Vec<(String, String)>,
}

impl Environment {
    /// Reads the settings file, if there is one. `program` is the path by which the process was started.
    ///
    /// # Errors
    /// The mistake in the file, with its location, or the first mistake in a variable of the agent.
    pub(super) fn load(program: Option<&Path>) -> Result<Self, StartError> {
        check_variables().map_err(StartError::Setting)?;
        let named = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty());
        let path = match named {
            Some(path) => Some(PathBuf::from(path)),
            None => usual_places(program).find(|path| path.is_file()),
        };
        let file = match path {
            Some(path) => SettingsFile::read(&path)?.variables(&path),
            None => Vec::new(),
        };
        let environment = Environment { file };
        if let Some(folder) = environment.get(DIALECT_DIR_VARIABLE)
            && !Path::new(&folder).is_dir()
        {
            let why = format!("{DIALECT_DIR_VARIABLE}: {folder}: there is no such folder");
            return Err(StartError::Setting(why));
        }
        Ok(environment)
    }

    /// The value of a variable: of the process, else of the settings file. An empty value counts as none.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let of_process = std::env::var(name).ok().filter(|value| !value.is_empty());
        of_process.or_else(|| {
            let found = self.file.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        })
    }
}

/// Variables that the settings file cannot set.
const OTHER_VARIABLES: [&str; 5] = [
    FILE_VARIABLE,
    LOG_VARIABLE,
    PARENT_VARIABLE,
    "MOCK_AGENT_JUDGE",
    "MOCK_AGENT_TRANSCRIPT",
];

/// Checks the names of the variables that begin like those of the agent, that their values are text, whether a login is necessary, which only one
/// protocol reads, and the filter of the log.
fn check_variables() -> Result<(), String> {
    let of_agent = std::env::vars_os().filter(|(name, _)| {
        let name = name.as_encoded_bytes();
        name.starts_with(PREFIX.as_bytes())
    });
    let mut of_agent = of_agent.peekable();
    if of_agent.peek().is_none() {
        return Ok(());
    }
    let others = OTHER_VARIABLES.map(str::to_owned);
    let known: Vec<String> = SettingsFile::all_variables()
        .into_iter()
        .chain(others)
        .collect();
    for (name, value) in of_agent {
        let name = name.to_string_lossy().into_owned();
        if !known.contains(&name) {
            return Err(spanned_yaml::unknown(
                "variable",
                &name,
                known.iter().map(String::as_str),
            ));
        }
        let text = value
            .to_str()
            .ok_or_else(|| format!("{name}: {value:?} is not UTF-8"))?;
        if name == "MOCK_AGENT_LOGIN" && !matches!(text, "" | "true" | "false") {
            return Err(format!("{name}: {text:?} is neither true nor false"));
        }
        if name == LOG_VARIABLE {
            EnvFilter::try_new(text)
                .map_err(|error| format!("{name}: {text:?} is not a filter: {error}"))?;
            // A single word that is no level would be the name of a module.
            if !text.contains(['=', ',', ':', '_', '['])
                && text.trim().parse::<LevelFilter>().is_err()
            {
                return Err(format!(
                    "{name}: {text:?} is not a level: off, error, warn, info, debug or trace; for a module write `{text}=info`"
                ));
            }
        }
    }
    Ok(())
}

/// Where the settings file can be: the current folder, then the folder of the program if it was started by a path.
fn usual_places(program: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let beside = program
        .and_then(Path::parent)
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join(FILE));
    std::iter::once(PathBuf::from(FILE)).chain(beside)
}
