//! What plays a fault: the agent itself, or a filter process between the agent and the judge.

use crate::agent::Agent;
use std::ffi::OsString;
use std::path::PathBuf;

/// What plays a fault.
#[derive(Debug, Clone)]
pub enum FaultsBy {
    /// The agent itself, which gets the id of the fault in this variable; several ids are separated by commas.
    Agent(&'static str),
    /// A filter process: its program, and its arguments before the fault and the command line of the agent. Each fault has its own.
    Filter(PathBuf, Vec<OsString>),
}

impl FaultsBy {
    /// The agent with a fault; with each of several.
    pub(super) fn applied(&self, agent: &Agent, fault: &str) -> Agent {
        let mut agent = agent.clone();
        match self {
            FaultsBy::Agent(variable) => agent.env.push((variable.into(), fault.into())),
            FaultsBy::Filter(program, words) => {
                for fault in fault.split(',') {
                    let mut prefix = words.clone();
                    prefix.extend(["--fault", fault, "--"].map(OsString::from));
                    prefix.push(std::mem::replace(&mut agent.program, program.clone()).into());
                    prefix.append(&mut agent.prefix);
                    agent.prefix = prefix;
                }
            }
        }
        agent
    }
}
