//! The agent under test, from the command line of `conform run`.

use crate::cli::command_error::CommandError;
use crate::cli::output;
use conform_judge::dialect::Dialect;
use conform_runner::agent::Agent;
use conform_runner::arguments::{RecipeArgs, unknown_placeholder};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// Launchers that look for the project in the current folder, with the variable that names its folder instead: agents are started in a
/// sandbox. With a word, the launcher does so only if that is its first argument.
const LAUNCHERS: &[(&str, Option<&str>, &str)] = &[
    ("uv", None, "UV_PROJECT"),
    ("python", Some("-m"), "PYTHONPATH"),
    ("python3", Some("-m"), "PYTHONPATH"),
];

/// The agent of the command line, or the bundled one if there is none.
///
/// # Errors
/// The program cannot be started, or an environment variable is not well formed.
pub(in crate::cli) fn agent_of(
    words: &[OsString],
    variables: &[String],
) -> Result<Agent, CommandError> {
    let named = variables.iter().map(|entry| variable(entry));
    let mut env: Vec<_> = project_folder(words)?.into_iter().collect();
    env.extend(named.collect::<Result<Vec<_>, _>>()?);
    if let Some(name) = unknown_placeholder(words.get(1..).unwrap_or_default()) {
        output::warning(format_args!(
            "{name} is passed on as it is: the placeholders are {{llm_url}}, {{workspace}}, {{home}} and {{args}}"
        ));
    }
    match words.split_first() {
        None => Ok(Agent::bundled(std::env::current_exe()?, env)),
        Some((program, rest)) => Ok(Agent {
            program: Agent::find(program)?,
            prefix: Vec::new(),
            recipe_args: RecipeArgs::wanted_by(rest),
            args: rest.iter().map(|arg| with_absolute_path(arg)).collect(),
            env,
            plays_script: false,
            missing_features: Vec::new(),
        }),
    }
}

/// The variable that names the current folder to a launcher.
fn project_folder(words: &[OsString]) -> io::Result<Option<(OsString, OsString)>> {
    let program = words.first().and_then(|word| Path::new(word).file_name());
    let first = words.get(1);
    let found = LAUNCHERS.iter().find(|(name, argument, _)| {
        program.is_some_and(|program| program == *name)
            && argument.is_none_or(|argument| first.is_some_and(|first| first == argument))
    });
    let folder = |(_, _, variable): &(_, _, &str)| {
        Ok((variable.into(), std::env::current_dir()?.into_os_string()))
    };
    found.map(folder).transpose()
}

/// An argument in which the path of an existing file is absolute: agents are started in a sandbox and not in the current folder. A
/// folder must be written as a path (`./src`), since any word may be the name of a folder.
fn with_absolute_path(arg: &OsStr) -> OsString {
    let absolute = |text: &str| {
        let path = Path::new(text);
        let is_folder = text.starts_with('.') || text.contains('/');
        let is_meant = path.is_file() || is_folder && path.is_dir();
        (path.is_relative() && is_meant).then(|| std::path::absolute(path).ok())?
    };
    let Some(text) = arg.to_str() else {
        return arg.to_owned();
    };
    match (absolute(text), text.split_once('=')) {
        (Some(path), _) => path.into(),
        (None, Some((option, value))) if option.starts_with('-') => match absolute(value) {
            Some(path) => format!("{option}={}", path.display()).into(),
            None => arg.to_owned(),
        },
        (None, _) => arg.to_owned(),
    }
}

fn variable(entry: &str) -> Result<(OsString, OsString), CommandError> {
    match entry.split_once('=') {
        Some(("", _)) => Err(CommandError::usage(format!(
            "--env {entry}: a variable needs a name"
        ))),
        Some((name, value)) => Ok((name.into(), value.into())),
        None => {
            let value = std::env::var_os(entry);
            let missing =
                || CommandError::usage(format!("--env {entry}: conform has no such variable"));
            Ok((entry.into(), value.ok_or_else(missing)?))
        }
    }
}

/// The bundled agent, configured to speak one dialect, or to play an agent script of it.
///
/// # Errors
/// The agent does not speak the dialect, and there is no script.
pub(super) fn speaking(
    agent: &Agent,
    dialect: &Dialect,
    dialect_dir: Option<&Path>,
    script: Option<&Path>,
) -> Result<Agent, CommandError> {
    let mut agent = agent.clone();
    if let Some(script) = script {
        let mut args: Vec<OsString> = vec!["--dialect".into(), dialect.id().into()];
        let files = [("--dialect-dir", dialect_dir), ("--script", Some(script))];
        for (flag, path) in files {
            if let Some(path) = path {
                // The agent runs in another folder.
                args.extend([flag.into(), std::path::absolute(path)?.into()]);
            }
        }
        agent.args = args;
        agent.recipe_args = RecipeArgs::Placed;
        agent.plays_script = true;
        return Ok(agent);
    }
    let (name, version) = (dialect.name.as_str(), dialect.version.as_str());
    if !mock_agent::dialects().any(|spoken| spoken == (name, version)) {
        return Err(CommandError::usage(format!(
            "the bundled agent does not speak {}: name an agent, or an agent script with --agent-script FILE",
            dialect.id()
        )));
    }
    agent
        .env
        .insert(0, (mock_agent::PROTOCOL.into(), dialect.id().into()));
    Ok(agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_existing_files_become_absolute() {
        let root = env!("CARGO_MANIFEST_DIR");
        for (arg, expected) in [
            ("Cargo.toml", format!("{root}/Cargo.toml")),
            ("--config=Cargo.toml", format!("--config={root}/Cargo.toml")),
            ("./src", format!("{root}/src")),
            ("src", "src".to_owned()),
            ("no/such/file", "no/such/file".to_owned()),
            ("{llm_url}", "{llm_url}".to_owned()),
        ] {
            assert_eq!(with_absolute_path(OsStr::new(arg)), *expected, "{arg}");
        }
    }
}
