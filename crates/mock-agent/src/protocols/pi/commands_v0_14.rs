//! "Input Protocol" of pi@0.14: its four commands, and the errors of lines that are no command.

use super::attachments_v0_14::block;
use crate::core::failure::Halt;
use crate::core::failure::{Failure, FailureSource};
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::Faults;
use crate::os::stdin::Input;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Handles a command.
type Handler = fn(&Session, Value) -> Result<(), Failure>;

/// Every command by its type.
const COMMANDS: &[(&str, Handler)] = &[
    ("prompt", prompt),
    ("abort", |session, _| {
        session.stop(Halt::Stop);
        Ok(())
    }),
    ("compact", compact),
    ("bash", bash),
];

/// Handles one line. Sends an error if it is no valid command.
pub(super) fn take(session: &Session, input: Input) {
    if let Err(failure) = handle(session, input) {
        session.reject_command(&failure);
    }
}

fn handle(session: &Session, input: Input) -> Result<(), Failure> {
    let Input::Line(line) = input else {
        return Err(invalid("The line is longer than 64 MiB"));
    };
    let text = std::str::from_utf8(&line).map_err(|_| invalid("The line is not UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(());
    }
    let mut command: Value = serde_json::from_str(text)
        .map_err(|error| invalid(format!("The line is not JSON: {error}")))?;
    Faults::of(session).command(&mut command);
    if !command.is_object() {
        return Err(invalid("The line is not a JSON object"));
    }
    let Some(kind) = command["type"].as_str() else {
        return Err(invalid("The message has no type"));
    };
    let known = COMMANDS.iter().find(|(name, _)| *name == kind);
    let (_, handler) = known.ok_or_else(|| invalid(format!("Unknown message type: {kind}")))?;
    handler(session, command)
}

fn invalid(why: impl Into<String>) -> Failure {
    Failure::permanent(FailureSource::Protocol, why)
}

fn read<T: DeserializeOwned>(command: Value) -> Result<T, Failure> {
    let kind = command["type"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(command).map_err(|error| invalid(format!("Invalid {kind}: {error}")))
}

fn prompt(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Fields {
        message: String,
        attachments: Option<Vec<Value>>,
    }
    let Fields {
        message,
        attachments,
    } = read(command)?;
    let attachments = attachments.unwrap_or_default();
    let blocks = attachments
        .iter()
        .map(block)
        .collect::<Result<_, _>>()
        .map_err(|why| invalid(format!("Invalid attachment: {why}")))?;
    session.submit_prompt(Prompt {
        turn: session.next_turn_id(),
        text: message,
        files: Vec::new(),
        blocks,
        attachments,
        ..Prompt::default()
    })
}

fn compact(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Fields {
        custom_instructions: Option<String>,
    }
    let fields: Fields = read(command)?;
    session.compact(fields.custom_instructions)
}

fn bash(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Fields {
        command: String,
    }
    let fields: Fields = read(command)?;
    session.run_shell_command(fields.command)
}
