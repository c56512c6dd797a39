//! Commands of the host: from a line of input to the handler in the adapter's table.

use super::session::{Protocol, ProtocolSession};
use crate::core::Failure;
use crate::os::stdin::Input;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The commands of a protocol: the name of each, the first version that has it, and its handler.
pub(crate) type CommandTable<V, H> = [(&'static str, V, H)];

pub(crate) fn find<V: PartialOrd, H: Copy>(
    table: &CommandTable<V, H>,
    version: V,
    name: &str,
) -> Option<H> {
    let known = |(command, since, _): &&(&str, V, H)| *command == name && version >= *since;
    table.iter().find(known).map(|(_, _, handler)| *handler)
}

/// Handles a command of a protocol without responses; a refusal is reported as a failure.
pub(crate) type SilentHandler<P> = fn(ProtocolSession<'_, P>, Value) -> Result<(), Failure>;

/// Handles a line of such a protocol, of at most `limit` bytes.
pub(crate) fn take_silently<P: Protocol, V: PartialOrd>(
    session: ProtocolSession<'_, P>,
    input: &Input,
    (table, version): (&CommandTable<V, SilentHandler<P>>, V),
    limit: usize,
) {
    let handle = || -> Result<(), Failure> {
        let Some(command) = command(session, input, limit)? else {
            return Ok(());
        };
        let kind = command["type"].as_str();
        let name = kind.ok_or_else(|| Failure::protocol("The command has no type"))?;
        let handler = find(table, version, name)
            .ok_or_else(|| Failure::protocol(format!("Unknown command type: {name}")))?;
        handler(session, command)
    };
    if let Err(failure) = handle() {
        session.reject_command(&failure);
    }
}

/// The command in a line, an object; none if the line is blank.
fn command<P: Protocol>(
    session: ProtocolSession<'_, P>,
    input: &Input,
    limit: usize,
) -> Result<Option<Value>, String> {
    let line = text(input, "The command", limit)?;
    let text = line.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    let command = json_matcher::read_json(text.as_bytes())
        .map_err(|error| format!("The command is not JSON: {error}"))?;
    let Some(command) = session.taken(command) else {
        return Ok(None);
    };
    if command.is_object() {
        Ok(Some(command))
    } else {
        Err("The command is not a JSON object".to_owned())
    }
}

/// The text of a line, which messages call `what`.
///
/// # Errors
/// It is longer than the limit in bytes, or not UTF-8.
pub(crate) fn text<'a>(input: &'a Input, what: &str, limit: usize) -> Result<&'a str, String> {
    let Input::Line(line) = input else {
        return Err(format!("{what} is longer than {} MiB", limit >> 20));
    };
    std::str::from_utf8(line).map_err(|_| format!("{what} is not UTF-8"))
}

/// An argument of a command, which is null if it is missing.
///
/// # Errors
/// It is of another type.
pub(crate) fn argument<T: DeserializeOwned>(command: &Value, name: &str) -> Result<T, Failure> {
    T::deserialize(&command[name]).map_err(|error| match command.get(name) {
        Some(_) => invalid(command, error),
        None => invalid(command, format!("missing field `{name}`")),
    })
}

/// All arguments of a command.
///
/// # Errors
/// One of them is missing or of another type.
pub(crate) fn arguments<T: DeserializeOwned>(command: &Value) -> Result<T, Failure> {
    T::deserialize(command).map_err(|error| invalid(command, error))
}

fn invalid(command: &Value, why: impl std::fmt::Display) -> Failure {
    let name = command["type"].as_str().unwrap_or_default();
    Failure::protocol(format!("Invalid {name}: {why}"))
}
