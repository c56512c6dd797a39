//! Commands of the real agents that do not speak their protocol, such as installing a package: they are answered without an effect, or
//! refused.

use super::own_arguments::OwnArguments;
use crate::config::StartError;
use crate::protocols::ADAPTERS;
use crate::protocols::adapter::Adapter;
use std::process::ExitCode;

/// Whether the program is called by the name of a real agent.
pub(super) fn is_agent_name(name: Option<&str>) -> bool {
    ADAPTERS.iter().any(|adapter| Some(adapter.name) == name)
}

/// Answers a command that the real agent has in addition to its protocol. `None` if the arguments name no such command.
///
/// # Errors
/// The arguments choose a mode of the real agent that is not supported.
pub(super) fn answer(
    adapter: &Adapter,
    own: &OwnArguments,
) -> Result<Option<ExitCode>, StartError> {
    let name = adapter.name;
    let mut other_modes = adapter.other_mode_flags.iter();
    if let Some(flag) = other_modes.find(|flag| own.has(&[flag]))
        && !own.choose(adapter)
    {
        let protocol = adapter.activation;
        let why = format!("`{name} {flag}` is not played, only `{name} {protocol}`");
        return Err(StartError::Setting(why));
    }
    let Some(first) = own.word(0) else {
        return Ok(None);
    };
    let mut commands = adapter.other_commands.iter();
    let is_named = |names: &str| names.split(' ').any(|name| name == first);
    let Some((_, output)) = commands.find(|(names, _)| is_named(names)) else {
        return Ok(None);
    };
    eprintln!("mock-agent: `{name} {first}` has no effect here");
    let argument = own.word(1).unwrap_or_default();
    if !output.is_empty() {
        println!("{}", output.replace("{}", argument));
    }
    Ok(Some(ExitCode::SUCCESS))
}
