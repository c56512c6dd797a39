//! The agent that is tested, and what is known of it before it is started.

use super::{Args, Refusal};
use crate::dialect::Dialect;
use crate::runner::{Agent, Lack, Package};
use spanned_yaml::unknown;
use std::ffi::OsString;
use std::path::Path;

/// The agent of the command line; none: the bundled one.
///
/// # Errors
/// It cannot be started, or its environment is not well said.
pub(super) fn agent(args: &Args) -> Result<Agent, Refusal> {
    let env = args.env.iter().map(|entry| variable(entry));
    let env = env.collect::<Result<Vec<_>, _>>()?;
    match args.agent.split_first() {
        None => Ok(Agent {
            program: std::env::current_exe()?,
            prefix: vec!["agent".into()],
            args: None,
            env,
            lacks: Vec::new(),
        }),
        Some((program, rest)) => Ok(Agent {
            program: Agent::find(program).map_err(Refusal::usage)?,
            prefix: Vec::new(),
            args: (!rest.is_empty()).then(|| rest.to_vec()),
            env,
            lacks: Vec::new(),
        }),
    }
}

/// The package of the agent's program, or else of the first file among its arguments: `node dist/cli.js` is started by its interpreter.
pub(super) fn package(agent: &Agent) -> Option<Package> {
    let args = agent.args.iter().flatten().map(Path::new);
    let files = std::iter::once(agent.program.as_path()).chain(args.filter(|arg| arg.is_file()));
    files.take(2).find_map(Package::of)
}

fn variable(entry: &str) -> Result<(OsString, OsString), Refusal> {
    match entry.split_once('=') {
        Some(("", _)) => Err(Refusal::usage(format!(
            "--env {entry}: a variable has a name"
        ))),
        Some((name, value)) => Ok((name.into(), value.into())),
        None => {
            let value = std::env::var_os(entry);
            let missing =
                || Refusal::usage(format!("--env {entry}: there is no such variable here"));
            Ok((entry.into(), value.ok_or_else(missing)?))
        }
    }
}

/// The bundled agent, told which version to speak.
pub(super) fn speaking(agent: &Agent, dialect: &Dialect) -> Agent {
    let mut agent = agent.clone();
    agent
        .env
        .insert(0, (mock_agent::PROTOCOL.into(), dialect.id().into()));
    agent
}

/// What the agent does not have: by the version of its package, and by what the user says.
///
/// # Errors
/// The user names what the dialect does not know either.
pub(super) fn lacks(
    dialect: &Dialect,
    package: Option<&Package>,
    said: &[String],
) -> Result<Vec<Lack>, Refusal> {
    let mut lacks = Vec::new();
    if let Some(package) = package {
        let early = dialect.launch.lacks.iter();
        for early in early.filter(|early| package.is_before(&early.before)) {
            let why = format!(
                "it is {} {}, and that came with {}",
                package.name, package.version, early.before
            );
            let what = early.commands.iter().chain(&early.wires);
            lacks.extend(what.map(|what| Lack {
                what: what.clone(),
                why: why.clone(),
            }));
        }
    }
    for what in said {
        let known = dialect.commands.names.keys();
        let known = known.chain(dialect.capabilities.keys());
        let known: Vec<_> = known.chain(dialect.launch.wires.keys()).collect();
        if !known.contains(&what) {
            let known = known.into_iter().map(String::as_str);
            return Err(Refusal::usage(format!(
                "--lacks: {}",
                unknown("command, capability or wire", what, known)
            )));
        }
        lacks.push(Lack {
            what: what.clone(),
            why: "you say so".to_owned(),
        });
    }
    Ok(lacks)
}
