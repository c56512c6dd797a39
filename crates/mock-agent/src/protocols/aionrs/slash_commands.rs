//! Slash commands: messages that the agent answers itself, without a turn.

use super::events::{AionrsState, info, invalid, stream_end};
use crate::core::failure::Failure;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::model::message::Usage;

/// Runs a slash command. Returns its text, or None if it takes longer and reports later.
type SlashHandler = fn(&Session, &Prompt) -> Option<String>;

/// Name, description and handler.
const COMMANDS: &[(&str, &str, SlashHandler)] = &[
    ("/clear", "Clear the conversation", |session, _| {
        session.conversation.borrow_mut().messages.clear();
        Some("Conversation cleared".into())
    }),
    ("/compact", "Sum the conversation up", compact),
    ("/context", "Show how full the context is", |session, _| {
        let (used, window) = (
            session.context_tokens.get(),
            session.settings.model_info.window,
        );
        Some(format!("Context: {used} of {window} tokens"))
    }),
    ("/help", "List these commands", |_, _| Some(help())),
];

/// Answers a message that is a slash command. False if it is not one: then it is for the model.
///
/// # Errors
/// A turn is running.
pub(super) fn answer(session: &Session, prompt: &Prompt) -> Result<bool, Failure> {
    let word = prompt.text.split_whitespace().next();
    let Some((_, _, handler)) = COMMANDS.iter().find(|(name, ..)| Some(*name) == word) else {
        return Ok(false);
    };
    if session.is_busy() {
        return Err(invalid("A slash command cannot be served during a turn"));
    }
    session.reserve_turn_id(&prompt.turn)?;
    if let Some(text) = handler(session, prompt) {
        session.events.send_frame(info(&text));
        session
            .events
            .send_frame(stream_end(&prompt.turn, Usage::default()));
    }
    Ok(true)
}

fn help() -> String {
    let lines = COMMANDS
        .iter()
        .map(|(name, description, _)| format!("\n  {name} — {description}"));
    format!("Available commands:{}", lines.collect::<String>())
}

fn compact(session: &Session, prompt: &Prompt) -> Option<String> {
    if session.conversation.borrow().messages.is_empty() {
        return Some("There is nothing to compact".into());
    }
    let instructions = prompt.text.trim().strip_prefix("/compact").map(str::trim);
    let instructions = instructions.filter(|text| !text.is_empty());
    session
        .events
        .encoder(|state: &mut AionrsState| state.compacting = Some(prompt.turn.clone()));
    match session.compact(instructions.map(str::to_owned)) {
        Ok(()) => None,
        Err(failure) => Some(failure.message),
    }
}
