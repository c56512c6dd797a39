//! The environment: variables, and a settings file with values for variables that are not set.

use super::settings_file::SettingsFile;
use std::path::{Path, PathBuf};

/// The variable with the path of the settings file.
const FILE_VARIABLE: &str = "MOCK_AGENT_CONFIG";

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
    /// The mistake in the file, with its location.
    pub(super) fn load(program: Option<&Path>) -> Result<Self, spanned_yaml::Error> {
        let named = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty());
        let path = match named {
            Some(path) => Some(PathBuf::from(path)),
            None => usual_places(program).find(|path| path.is_file()),
        };
        let file = match path {
            Some(path) => SettingsFile::read(&path)?.variables(&path),
            None => Vec::new(),
        };
        Ok(Environment { file })
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

/// Where the settings file can be: the current folder, then the folder of the program if it was started by a path.
fn usual_places(program: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let beside = program
        .and_then(Path::parent)
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join(FILE));
    std::iter::once(PathBuf::from(FILE)).chain(beside)
}
