//! Sections 2.1 to 2.6 of the page: commands. Section 4.1: what is none.

use crate::core::approval::{Decision, Mode};
use crate::core::failure::Halt;
use crate::core::failure::{Code, Failure};
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::Faults;
use crate::os::stdin::Input;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a command does.
pub(super) type Action = fn(&Session, Value) -> Result<(), Failure>;

/// Every command by its type.
pub(super) const COMMANDS: &[(&str, Action)] = &[
    ("message", |session, command| {
        session.prompt(prompt(command, "input")?)
    }),
    ("stop", |session, _| {
        session.stop(Halt::Stop);
        Ok(())
    }),
    ("tool_approve", tool_approve),
    ("tool_deny", tool_deny),
    ("init_history", init_history),
    ("set_mode", |session, command| {
        session.set_mode(mode(command)?);
        Ok(())
    }),
];

/// Acts on one line by the first table that knows it; what is wrong with it is said as a protocol error.
pub(super) fn take(session: &Session, input: Input, tables: &[&[(&str, Action)]]) {
    if let Err(failure) = act(session, input, tables) {
        session.refuse(&failure);
    }
}

fn act(session: &Session, input: Input, tables: &[&[(&str, Action)]]) -> Result<(), Failure> {
    let Input::Line(line) = input else {
        return Err(invalid("The command is longer than 16 MiB"));
    };
    let text = std::str::from_utf8(&line).map_err(|_| invalid("The command is not UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(());
    }
    let mut command: Value = serde_json::from_str(text)
        .map_err(|error| invalid(format!("The command is not JSON: {error}")))?;
    Faults::of(session).command(&mut command);
    if !command.is_object() {
        return Err(invalid("The command is not a JSON object"));
    }
    let Some(kind) = command["type"].as_str() else {
        return Err(invalid("The command has no type"));
    };
    let mut known = tables.iter().copied().flatten();
    let known = known.find(|(name, _)| *name == kind);
    let (_, action) = known.ok_or_else(|| invalid(format!("Unknown command type: {kind}")))?;
    action(session, command)
}

pub(super) fn invalid(why: impl Into<String>) -> Failure {
    Failure::lasting(Code::Protocol, why)
}

pub(super) fn read<T: DeserializeOwned>(command: Value) -> Result<T, Failure> {
    let kind = command["type"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(command).map_err(|error| invalid(format!("Invalid {kind}: {error}")))
}

/// What a message asks for, its text in this member.
pub(super) fn prompt(mut command: Value, member: &str) -> Result<Prompt, Failure> {
    #[derive(Deserialize)]
    struct Message {
        msg_id: String,
        files: Option<Vec<String>>,
    }
    let text = match command[member].take() {
        Value::String(text) => text,
        _ => return Err(invalid(format!("Invalid message: {member:?} is no text"))),
    };
    let message: Message = read(command)?;
    Ok(Prompt {
        turn: message.msg_id,
        text,
        files: message.files.unwrap_or_default(),
        ..Prompt::default()
    })
}

fn tool_approve(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Approve {
        call_id: String,
        #[serde(default)]
        scope: Scope,
    }
    #[derive(Default, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Scope {
        #[default]
        Once,
        Always,
    }
    let Approve { call_id, scope } = read(command)?;
    let always = scope == Scope::Always;
    session.decide(&call_id, Decision::Approve { always })
}

fn tool_deny(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Deny {
        call_id: String,
        reason: Option<String>,
    }
    let Deny { call_id, reason } = read(command)?;
    let reason = reason.unwrap_or_else(|| "User denied".into());
    session.decide(&call_id, Decision::Deny { reason })
}

fn init_history(session: &Session, command: Value) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct InitHistory {
        text: String,
    }
    let InitHistory { text } = read(command)?;
    session.add_history(text)
}

pub(super) fn mode(command: Value) -> Result<Mode, Failure> {
    #[derive(Deserialize)]
    struct SetMode {
        mode: Wish,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Wish {
        Default,
        AutoEdit,
        Yolo,
    }
    let SetMode { mode } = read(command)?;
    Ok(match mode {
        Wish::Default => Mode::Default,
        Wish::AutoEdit => Mode::AutoEdit,
        Wish::Yolo => Mode::Yolo,
    })
}
