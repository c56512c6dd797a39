//! Sections 2.1 to 2.6 of the specification: commands. Section 4.1: the errors of lines that are not a command.

use super::adapters::LINE_LIMIT;
use super::events::{AionrsState, info};
use super::slash_commands;
use super::version::AionrsVersion::{self, V0_1, V0_2};
use crate::core::{ApprovalMode, Decision, Failure, Halt, Prompt};
use crate::faults::Bug;
use crate::os::stdin::Input;
use crate::protocols::commands::{CommandTable, SilentHandler, argument, arguments, take_silently};
use crate::protocols::session::ProtocolSession;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) type AionrsSession<'a> = ProtocolSession<'a, AionrsState>;

const COMMANDS: &CommandTable<AionrsVersion, SilentHandler<AionrsState>> = &[
    ("message", V0_1, message),
    ("stop", V0_1, |session, _| {
        session.stop(Halt::Stop);
        Ok(())
    }),
    ("tool_approve", V0_1, tool_approve),
    ("tool_deny", V0_1, tool_deny),
    ("init_history", V0_1, |session, command| {
        session.add_history(argument(&command, "text")?)
    }),
    ("set_mode", V0_1, set_mode),
    ("set_config", V0_2, set_config),
    ("add_mcp_server", V0_2, |session, command| {
        session.add_mcp_server(arguments(&command)?)
    }),
    ("ping", V0_2, |session, _| {
        session.send(json!({ "type": "pong" }));
        Ok(())
    }),
];

pub(super) fn take(session: AionrsSession<'_>, input: &Input) {
    let version = session.state().version;
    take_silently(session, input, (COMMANDS, version), LINE_LIMIT);
}

fn message(session: AionrsSession<'_>, mut command: Value) -> Result<(), Failure> {
    let version = session.state().version;
    let member = match version {
        V0_1 => "input",
        V0_2 => "content",
    };
    let Value::String(text) = command[member].take() else {
        let why = format!("Invalid message: {member:?} is not text");
        return Err(Failure::protocol(why));
    };
    let files: Option<_> = argument(&command, "files")?;
    let prompt = Prompt {
        turn: argument(&command, "msg_id")?,
        text,
        files: files.unwrap_or_default(),
        ..Prompt::default()
    };
    if version >= V0_2 && slash_commands::answer(session, &prompt)? {
        return Ok(());
    }
    session.submit_prompt(prompt)
}

fn tool_approve(session: AionrsSession<'_>, command: Value) -> Result<(), Failure> {
    #[derive(PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Scope {
        Once,
        Always,
    }
    let call_id: String = argument(&command, "call_id")?;
    let has_scope = command.get("scope").is_some();
    let always = has_scope && argument::<Scope>(&command, "scope")? == Scope::Always;
    session.decide(&call_id, Decision::Approve { always })
}

fn tool_deny(session: AionrsSession<'_>, command: Value) -> Result<(), Failure> {
    let call_id: String = argument(&command, "call_id")?;
    let reason: Option<String> = argument(&command, "reason")?;
    let decision = Decision::Deny {
        reason: reason.unwrap_or_else(|| "User denied".into()),
    };
    session.decide(&call_id, decision)
}

fn set_mode(session: AionrsSession<'_>, command: Value) -> Result<(), Failure> {
    let mode: ApprovalMode = argument(&command, "mode")?;
    session.set_mode(mode);
    if session.state().version >= V0_2 {
        session.send(info(&format!("mode updated: {}", mode.name())));
        session.state().config.mode = mode.name();
        send_config(session);
    }
    Ok(())
}

fn set_config(session: AionrsSession<'_>, changes: Value) -> Result<(), Failure> {
    let is_second = !session.state().queued.is_empty();
    if is_second && session.faults.triggers(Bug::SecondSettingInTurnLost) {
        session.send(info("config updated"));
        return Ok(());
    }
    let report = session.state().config.set(&changes);
    let model = session.state().config.model.clone();
    session.set_model(&model, None);
    session.send(info(&report));
    send_config(session);
    Ok(())
}

fn send_config(session: AionrsSession<'_>) {
    if !session.state().queued.is_empty() && session.faults.triggers(Bug::TellsSettingsOnce) {
        session.state().queued.clear();
    }
    let frame = session.state().config_changed();
    session.send(frame);
}
