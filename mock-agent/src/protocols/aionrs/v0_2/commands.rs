//! Commands that 0.2 changed or added.

use super::events::{Events, info};
use super::slash;
use crate::core::failure::Failure;
use crate::core::session::Session;
use crate::os::stdin::Input;
use crate::protocols::aionrs::commands::{self, Action, invalid, mode, prompt, read};
use crate::tools::mcp_client::McpServer;
use serde_json::{Value, json};

const COMMANDS: &[(&str, Action)] = &[
    ("message", message),
    ("set_mode", set_mode),
    ("set_config", set_config),
    ("add_mcp_server", |session, command| {
        session.connect(read::<McpServer>(command)?)
    }),
    ("ping", |session, _| {
        session.events.send_frame(json!({ "type": "pong" }));
        Ok(())
    }),
];

/// Acts on one line.
pub(super) fn take(session: &Session, input: Input) {
    commands::take(session, input, &[COMMANDS, commands::COMMANDS]);
}

fn message(session: &Session, command: Value) -> Result<(), Failure> {
    let prompt = prompt(command, "content")?;
    if slash::answer(session, &prompt)? {
        return Ok(());
    }
    session.prompt(prompt)
}

fn set_mode(session: &Session, command: Value) -> Result<(), Failure> {
    let mode = mode(command)?;
    session.set_mode(mode);
    session
        .events
        .send_frame(info(&format!("mode updated: {}", mode.name())));
    session
        .events
        .encoder(|events: &mut Events| events.config.mode = mode.name());
    tell_config(session);
    Ok(())
}

fn set_config(session: &Session, command: Value) -> Result<(), Failure> {
    let Value::Object(wanted) = command else {
        return Err(invalid("set_config is no object"));
    };
    let set = |events: &mut Events| (events.config.set(&wanted), events.config.model.clone());
    if let Some((said, model)) = session.events.encoder(set) {
        session.set_model(&model, None);
        session.events.send_frame(info(&said));
    }
    tell_config(session);
    Ok(())
}

fn tell_config(session: &Session) {
    let frame = session.events.encoder(Events::config_changed).flatten();
    if let Some(frame) = frame {
        session.events.send_frame(frame);
    }
}
