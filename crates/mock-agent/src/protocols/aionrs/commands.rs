//! Sections 2.1 to 2.6 of the specification: commands. Section 4.1: the errors of lines that are no command.

use super::events::{AionrsState, info, invalid};
use super::slash_commands;
use super::version::AionrsVersion;
use crate::core::approval::{ApprovalMode, Decision};
use crate::core::failure::Failure;
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::Faults;
use crate::os::stdin::Input;
use crate::tools::mcp_client::McpServer;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Handles a command.
type Handler = fn(&Session, Value, AionrsVersion) -> Result<(), Failure>;

/// Whether a version has a feature.
type AionrsFeature = fn(AionrsVersion) -> bool;

/// Every command by its type, and the versions that have it.
const COMMANDS: &[(&str, AionrsFeature, Handler)] = &[
    ("message", AionrsVersion::any, message),
    ("stop", AionrsVersion::any, |session, _, _| {
        session.stop(Halt::Stop);
        Ok(())
    }),
    ("tool_approve", AionrsVersion::any, tool_approve),
    ("tool_deny", AionrsVersion::any, tool_deny),
    ("init_history", AionrsVersion::any, init_history),
    ("set_mode", AionrsVersion::any, set_mode),
    ("set_config", AionrsVersion::has_config, set_config),
    (
        "add_mcp_server",
        AionrsVersion::has_add_mcp_server,
        |session, command, _| session.add_mcp_server(read::<McpServer>(command)?),
    ),
    ("ping", AionrsVersion::has_ping, |session, _, _| {
        session.events.send_frame(json!({ "type": "pong" }));
        Ok(())
    }),
];

/// Handles one line. Sends a protocol error if it is no valid command.
pub(super) fn take(session: &Session, input: Input, version: AionrsVersion) {
    if let Err(failure) = handle(session, input, version) {
        session.reject_command(&failure);
    }
}

fn handle(session: &Session, input: Input, version: AionrsVersion) -> Result<(), Failure> {
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
    let mut known = COMMANDS.iter();
    let known = known.find(|(name, in_version, _)| *name == kind && in_version(version));
    let (_, _, handler) = known.ok_or_else(|| invalid(format!("Unknown command type: {kind}")))?;
    handler(session, command, version)
}

fn read<T: DeserializeOwned>(command: Value) -> Result<T, Failure> {
    let kind = command["type"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(command).map_err(|error| invalid(format!("Invalid {kind}: {error}")))
}

fn message(session: &Session, command: Value, version: AionrsVersion) -> Result<(), Failure> {
    let prompt = prompt(command, version.message_text_member())?;
    if version.has_slash_commands() && slash_commands::answer(session, &prompt)? {
        return Ok(());
    }
    session.submit_prompt(prompt)
}

/// The prompt of a message, whose text is in this member.
fn prompt(mut command: Value, member: &str) -> Result<Prompt, Failure> {
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

fn tool_approve(session: &Session, command: Value, _: AionrsVersion) -> Result<(), Failure> {
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

fn tool_deny(session: &Session, command: Value, _: AionrsVersion) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Deny {
        call_id: String,
        reason: Option<String>,
    }
    let Deny { call_id, reason } = read(command)?;
    let reason = reason.unwrap_or_else(|| "User denied".into());
    session.decide(&call_id, Decision::Deny { reason })
}

fn init_history(session: &Session, command: Value, _: AionrsVersion) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct InitHistory {
        text: String,
    }
    let InitHistory { text } = read(command)?;
    session.add_history(text)
}

fn set_mode(session: &Session, command: Value, version: AionrsVersion) -> Result<(), Failure> {
    let mode = mode(command)?;
    session.set_mode(mode);
    if version.has_config() {
        session
            .events
            .send_frame(info(&format!("mode updated: {}", mode.name())));
        session
            .events
            .encoder(|state: &mut AionrsState| state.config.mode = mode.name());
        send_config(session);
    }
    Ok(())
}

fn mode(command: Value) -> Result<ApprovalMode, Failure> {
    #[derive(Deserialize)]
    struct SetMode {
        mode: WireMode,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum WireMode {
        Default,
        AutoEdit,
        Yolo,
    }
    let SetMode { mode } = read(command)?;
    Ok(match mode {
        WireMode::Default => ApprovalMode::Default,
        WireMode::AutoEdit => ApprovalMode::AutoEdit,
        WireMode::Yolo => ApprovalMode::Yolo,
    })
}

fn set_config(session: &Session, command: Value, _: AionrsVersion) -> Result<(), Failure> {
    let Value::Object(changes) = command else {
        return Err(invalid("set_config is no object"));
    };
    let set = |state: &mut AionrsState| (state.config.set(&changes), state.config.model.clone());
    if let Some((report, model)) = session.events.encoder(set) {
        session.set_model(&model, None);
        session.events.send_frame(info(&report));
    }
    send_config(session);
    Ok(())
}

fn send_config(session: &Session) {
    let frame = session
        .events
        .encoder(AionrsState::config_changed)
        .flatten();
    if let Some(frame) = frame {
        session.events.send_frame(frame);
    }
}
