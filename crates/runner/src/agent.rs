//! The agent under test: its program, its arguments, and the features that it lacks.

use super::arguments::RecipeArgs;
use crate::process::spawn_error::{SpawnError, not_executable};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The agent under test.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Arguments before all others, such as a subcommand.
    pub prefix: Vec<OsString>,
    /// The arguments of the user, with `{llm_url}`, `{workspace}`, `{home}` and `{args}` as placeholders.
    pub args: Vec<OsString>,
    /// The use of the arguments of the dialect's launch recipe.
    pub recipe_args: RecipeArgs,
    /// Environment variables in addition to those of the recipe.
    pub env: Vec<(OsString, OsString)>,
    /// Whether it plays an agent script, and so asks no model.
    pub plays_script: bool,
    /// The optional features that it lacks. Scenarios that need one are skipped.
    pub missing_features: Vec<MissingFeature>,
}

/// A command, a capability or a wire of the model that an agent does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFeature {
    /// Its name.
    pub name: String,
    /// How that is known, as a sentence.
    pub reason: String,
}

impl Agent {
    /// The reference agent inside the executable of conform, with these variables.
    #[must_use]
    pub fn bundled(conform: PathBuf, env: Vec<(OsString, OsString)>) -> Self {
        Agent {
            program: conform,
            prefix: vec!["agent".into()],
            args: Vec::new(),
            recipe_args: RecipeArgs::Append,
            env,
            plays_script: false,
            missing_features: Vec::new(),
        }
    }

    /// The absolute path of a program: the path itself if it has a slash or is `.` or `..`, else looked up on the PATH.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn find(program: &OsStr) -> Result<PathBuf, SpawnError> {
        let given = Path::new(program);
        let failed = |error| SpawnError {
            program: given.to_owned(),
            error,
        };
        let has_slash = program.as_encoded_bytes().contains(&b'/');
        if has_slash || given.file_name().is_none() {
            let path = std::path::absolute(given).map_err(failed)?;
            check_executable(&path).map_err(failed)?;
            return Ok(path);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut refused = None;
        for folder in std::env::split_paths(&path) {
            let program = folder.join(program);
            match check_executable(&program) {
                Ok(()) => return std::path::absolute(program).map_err(failed),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => refused = refused.or(Some(SpawnError { program, error })),
            }
        }
        Err(refused.unwrap_or_else(|| {
            let mut why = "there is no such program on the PATH".to_owned();
            if given.exists() {
                why += &format!("; the one in this folder is `./{}`", given.display());
            }
            failed(io::Error::other(why))
        }))
    }
}

fn check_executable(path: &Path) -> io::Result<()> {
    if path.metadata()?.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
    }
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).map_err(|error| match error {
        rustix::io::Errno::ACCESS => {
            io::Error::new(ErrorKind::PermissionDenied, not_executable(path))
        }
        other => other.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_or_the_reason_is_given() {
        assert!(Agent::find(OsStr::new("sh")).unwrap().is_absolute());
        for (program, why) in [
            ("./no/such/agent", "no such file"),
            ("no-such-agent", "on the PATH"),
            ("/", "a directory"),
            (".", "a directory"),
            ("./Cargo.toml", "not executable"),
        ] {
            let message = Agent::find(OsStr::new(program)).unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
        }
    }
}
