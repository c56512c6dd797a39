//! Slash commands: messages that the agent answers itself, without a turn.

use super::commands::AionrsSession;
use super::events::{info, stream_end};
use crate::core::{Failure, Prompt};
use crate::model::Usage;

/// Runs a slash command. Returns its text, or None if it takes longer and reports later.
type SlashHandler = fn(AionrsSession<'_>, &Prompt) -> Option<String>;

const COMMANDS: &[(&str, &str, SlashHandler)] = &[
    ("/clear", "Clear the conversation", |session, _| {
        session.conversation.borrow_mut().messages.clear();
        Some("Conversation cleared".into())
    }),
    ("/compact", "Sum the conversation up", compact),
    ("/context", "Show how full the context is", |session, _| {
        let used = session.context_tokens.get();
        let window = session.settings.model_info.window;
        Some(format!("Context: {used} of {window} tokens"))
    }),
    ("/help", "List these commands", |_, _| Some(help())),
];

/// Answers a message that is a slash command. False if it is not one: then it is for the model.
///
/// # Errors
/// A turn is running.
pub(super) fn answer(session: AionrsSession<'_>, prompt: &Prompt) -> Result<bool, Failure> {
    let word = prompt.text.split_whitespace().next();
    let Some((_, _, handler)) = COMMANDS.iter().find(|(name, ..)| Some(*name) == word) else {
        return Ok(false);
    };
    if session.is_busy() {
        let why = "A slash command cannot be served during a turn";
        return Err(Failure::protocol(why));
    }
    session.reserve_turn_id(&prompt.turn)?;
    if let Some(text) = handler(session, prompt) {
        session.send(info(&text));
        session.send(stream_end(&prompt.turn, Usage::default()));
    }
    Ok(true)
}

fn help() -> String {
    let lines = COMMANDS
        .iter()
        .map(|(name, description, _)| format!("\n  {name} — {description}"));
    format!("Available commands:{}", lines.collect::<String>())
}

fn compact(session: AionrsSession<'_>, prompt: &Prompt) -> Option<String> {
    if session.conversation.borrow().messages.is_empty() {
        return Some("There is nothing to compact".into());
    }
    let after = prompt.text.trim().strip_prefix("/compact").map(str::trim);
    let instructions = after.filter(|text| !text.is_empty());
    session.state().compacting = Some(prompt.turn.clone());
    let compacted = session.compact(instructions.map(str::to_owned));
    compacted.err().map(|failure| failure.message)
}
