//! The agent whose faults are played: the reference agent plays its own, a filter process plays those of any other.

use crate::cli::inject;
use conform_judge::dialect::Dialect;
use conform_runner::agent::Agent;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The agent of a mutation run, and who plays the faults.
#[derive(Debug, Clone)]
pub(super) enum TestedAgent {
    /// The reference agent, which plays its faults itself.
    Reference {
        /// As `--dialect-dir`, as an absolute path.
        dialect_dir: Option<PathBuf>,
    },
    /// Any agent. A filter process between it and the judge plays faults on its frames.
    Filtered {
        agent: Agent,
        /// As `--dialect-dir`.
        dialect_dir: Option<PathBuf>,
    },
}

impl TestedAgent {
    /// How the agent is started with a fault, or without one.
    ///
    /// # Errors
    /// The path of this program, or that of the current folder, is not known.
    pub(super) fn with_fault(&self, fault: Option<&str>, dialect: &Dialect) -> io::Result<Agent> {
        match (self, fault) {
            (TestedAgent::Reference { dialect_dir }, fault) => {
                reference(fault, dialect, dialect_dir.as_deref())
            }
            (TestedAgent::Filtered { agent, .. }, None) => Ok(agent.clone()),
            (TestedAgent::Filtered { agent, dialect_dir }, Some(fault)) => {
                // Of several, each has its own filter.
                if let Some((first, rest)) = fault.split_once(',') {
                    let agent = self.with_fault(Some(first), dialect)?;
                    let dialect_dir = dialect_dir.clone();
                    let filtered = TestedAgent::Filtered { agent, dialect_dir };
                    return filtered.with_fault(Some(rest), dialect);
                }
                let mut words: Vec<OsString> = vec![inject::SUBCOMMAND.into()];
                let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
                option("--fault", fault.into());
                option("--events", dialect.events.discriminator.clone().into());
                option("--commands", dialect.commands.discriminator.clone().into());
                for turn in turns(dialect) {
                    option("--turn", turn.into());
                }
                for source in dialect.fault_sources() {
                    option("--faults-of", source.into());
                }
                if let Some(folder) = dialect_dir {
                    option("--dialect-dir", std::path::absolute(folder)?.into());
                }
                words.extend(["--".into(), agent.program.clone().into()]);
                words.extend(agent.prefix.iter().cloned());
                Ok(Agent {
                    program: std::env::current_exe()?,
                    prefix: words,
                    ..agent.clone()
                })
            }
        }
    }
}

/// The reference agent inside this program.
fn reference(
    fault: Option<&str>,
    dialect: &Dialect,
    dialect_dir: Option<&Path>,
) -> io::Result<Agent> {
    let fault = fault.map(|id| ("MOCK_AGENT_FAULT".into(), id.into()));
    let protocol = (mock_agent::PROTOCOL.into(), dialect.id().into());
    let folder = dialect_dir.map(|folder| (mock_agent::DIALECT_DIR.into(), folder.into()));
    let env = fault.into_iter().chain([protocol]).chain(folder);
    Ok(Agent::bundled(std::env::current_exe()?, env.collect()))
}

/// The frames that begin a turn, without their guards.
fn turns(dialect: &Dialect) -> Vec<String> {
    let sources = dialect.session.turn.sources().into_iter();
    let names = sources.map(|source| {
        source
            .split('{')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
}
