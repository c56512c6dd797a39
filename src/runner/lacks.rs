//! What an agent is known not to have, and the scenarios that need it.

use crate::dialect::Dialect;
use crate::scenario::Scenario;
use crate::scenario::types::StepAction;
use serde_json::Value;

/// A command, a capability or a wire of the model that an agent does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// Its name.
    pub what: String,
    /// How that is known, to be told.
    pub why: String,
}

/// Why a scenario cannot be played with an agent that lacks this, if it needs any of it.
pub(super) fn missing(lacks: &[Lack], dialect: &Dialect, scenario: &Scenario) -> Option<String> {
    let sent = || sent(dialect, scenario);
    let needed = |lack: &&Lack| {
        scenario.needs.contains(&lack.what)
            || scenario.wire.as_ref() == Some(&lack.what)
            || sent().any(|name| name == lack.what)
    };
    let lack = lacks.iter().find(needed)?;
    Some(format!("the agent lacks {}: {}", lack.what, lack.why))
}

/// The names of the commands that a scenario sends.
fn sent<'a>(dialect: &'a Dialect, scenario: &'a Scenario) -> impl Iterator<Item = String> + 'a {
    let name = |command: &Value| {
        let name = command.pointer(&dialect.commands.discriminator)?;
        name.as_str().map(str::to_owned)
    };
    let answers = scenario.answers.iter().map(|answer| &answer.send);
    let answers = answers.filter_map(move |send| name(send.written()));
    let steps = scenario.steps.iter().flat_map(move |step| {
        let commands = match &step.action {
            StepAction::Send(template) => vec![template.written().clone()],
            StepAction::SendRaw(text) => parsed(text.as_bytes()),
            StepAction::SendBytes(chunks) => parsed(&chunks.concat()),
            _ => Vec::new(),
        };
        commands
            .into_iter()
            .filter_map(move |command| name(&command))
    });
    answers.chain(steps)
}

/// The lines that are JSON.
fn parsed(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}
