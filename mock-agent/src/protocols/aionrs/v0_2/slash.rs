//! Slash commands: messages that the agent answers itself, without a turn.

use super::events::{Events, info};
use crate::core::failure::Failure;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::model::message::Usage;
use crate::protocols::aionrs::commands::invalid;
use crate::protocols::aionrs::events::stream_end;

/// What a slash command says; nothing if that takes its time.
type Answer = fn(&Session, &Prompt) -> Option<String>;

/// Name, what it does, and how.
const COMMANDS: &[(&str, &str, Answer)] = &[
    ("/clear", "Clear the conversation", |session, _| {
        session.conversation.borrow_mut().messages.clear();
        Some("Conversation cleared".into())
    }),
    ("/compact", "Sum the conversation up", compact),
    ("/context", "Show how full the context is", |session, _| {
        let (used, window) = (session.context.get(), session.settings.model_info.window);
        Some(format!("Context: {used} of {window} tokens"))
    }),
    ("/help", "List these commands", |_, _| Some(help())),
];

/// Answers a message that is a slash command. False if it is none, and so for the model.
///
/// # Errors
/// It cannot be served now.
pub(super) fn answer(session: &Session, prompt: &Prompt) -> Result<bool, Failure> {
    let word = prompt.text.split_whitespace().next();
    let Some((_, _, answer)) = COMMANDS.iter().find(|(name, ..)| Some(*name) == word) else {
        return Ok(false);
    };
    if session.is_busy() {
        return Err(invalid("A slash command cannot be served during a turn"));
    }
    session.claim(&prompt.turn)?;
    if let Some(said) = answer(session, prompt) {
        session.events.send_frame(info(&said));
        session
            .events
            .send_frame(stream_end(&prompt.turn, Usage::default()));
    }
    Ok(true)
}

fn help() -> String {
    let lines = COMMANDS
        .iter()
        .map(|(name, what, _)| format!("\n  {name} — {what}"));
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
        .encoder(|events: &mut Events| events.compacting = Some(prompt.turn.clone()));
    match session.compact(instructions.map(str::to_owned)) {
        Ok(()) => None,
        Err(failure) => Some(failure.message),
    }
}
