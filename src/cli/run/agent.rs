//! The agent under test, from the command line of `conform run`.

use super::args::RunArgs;
use super::run_error::RunError;
use crate::detect::package::Package;
use crate::dialect::Dialect;
use crate::runner::agent::Agent;
use std::ffi::OsString;
use std::path::Path;

/// The agent of the command line, or the bundled one if there is none.
///
/// # Errors
/// The program cannot be started, or an environment variable is not well formed.
pub(super) fn agent(args: &RunArgs) -> Result<Agent, RunError> {
    let env = args.env.iter().map(|entry| variable(entry));
    let env = env.collect::<Result<Vec<_>, _>>()?;
    match args.agent.split_first() {
        None => Ok(Agent {
            program: std::env::current_exe()?,
            prefix: vec!["agent".into()],
            args: None,
            env,
            missing_features: Vec::new(),
        }),
        Some((program, rest)) => Ok(Agent {
            program: Agent::find(program).map_err(RunError::usage)?,
            prefix: Vec::new(),
            args: (!rest.is_empty()).then(|| rest.to_vec()),
            env,
            missing_features: Vec::new(),
        }),
    }
}

/// The package of the agent's program, or else of the first file among its arguments: `node dist/cli.js` is started by its interpreter.
pub(super) fn package(agent: &Agent) -> Option<Package> {
    let args = agent.args.iter().flatten().map(Path::new);
    let files = std::iter::once(agent.program.as_path()).chain(args.filter(|arg| arg.is_file()));
    files.take(2).find_map(Package::of)
}

fn variable(entry: &str) -> Result<(OsString, OsString), RunError> {
    match entry.split_once('=') {
        Some(("", _)) => Err(RunError::usage(format!(
            "--env {entry}: a variable needs a name"
        ))),
        Some((name, value)) => Ok((name.into(), value.into())),
        None => {
            let value = std::env::var_os(entry);
            let missing =
                || RunError::usage(format!("--env {entry}: conform has no such variable"));
            Ok((entry.into(), value.ok_or_else(missing)?))
        }
    }
}

/// The bundled agent, set to speak one dialect, or to play an agent script of it.
///
/// # Errors
/// The agent does not speak the dialect, and there is no script.
pub(super) fn speaking(
    agent: &Agent,
    dialect: &Dialect,
    dialect_dir: Option<&Path>,
    script: Option<&Path>,
) -> Result<Agent, RunError> {
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
        agent.args = Some(args);
        return Ok(agent);
    }
    let (name, version) = (dialect.name.as_str(), dialect.version.as_str());
    if !mock_agent::dialects().any(|spoken| spoken == (name, version)) {
        return Err(RunError::usage(format!(
            "the bundled agent does not speak {}: name an agent, or an agent script with --agent-script FILE",
            dialect.id()
        )));
    }
    agent
        .env
        .insert(0, (mock_agent::PROTOCOL.into(), dialect.id().into()));
    Ok(agent)
}
