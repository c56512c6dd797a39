//! `session/prompt`: starts a turn, or does what a slash command says.

use super::commands::{Answer, text};
use super::rpc::RpcError;
use super::{Agent, OpenPrompt, content, events, options, state};
use crate::core::{Prompt, Session};
use serde_json::{Value, json};
use std::rc::Rc;

/// The length of a title, in characters.
const TITLE_LENGTH: usize = 40;

/// Each slash command: its name, what it does, and a hint at its input.
const COMMANDS: [(&str, &str, Option<&str>); 4] = [
    (
        "compact",
        "Replace the conversation by a summary",
        Some("instructions for the summary"),
    ),
    ("help", "List the commands", None),
    ("mode", "Change the mode", Some("ask, auto-edit or bypass")),
    ("plan", "Show a plan of one entry", Some("the entry")),
];

/// The update with the slash commands.
pub(super) fn commands() -> Value {
    let commands = COMMANDS.iter().map(|(name, description, hint)| {
        let mut command = json!({ "name": name, "description": description });
        if let Some(hint) = hint {
            command["input"] = json!({ "hint": hint });
        }
        command
    });
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands.collect::<Vec<_>>() })
}

pub(super) fn prompt(agent: Agent<'_>, id: &Value, params: &Value) -> Answer {
    let session = text(params, "sessionId")?;
    let blocks = content::blocks(&params["prompt"])?;
    let written = content::text(&params["prompt"]);
    let mut state = agent.state();
    let open = state.session(session)?;
    if open.prompt.is_some() {
        return Err(RpcError::invalid_request(
            "A prompt is running in this session",
        ));
    }
    open.prompt = Some(OpenPrompt::new(id.clone()));
    open.prompts += 1;
    if open.title.is_none() {
        open.title = Some(title(&written));
    }
    let message = open.next_message();
    for block in params["prompt"].as_array().into_iter().flatten() {
        let chunk = json!({ "sessionUpdate": "user_message_chunk", "messageId": message, "content": block });
        open.log.push(chunk);
    }
    let core = Rc::clone(&open.core);
    drop(state);
    let command = written
        .strip_prefix('/')
        .map(|line| line.split_once(' ').unwrap_or((line, "")));
    if let Some((name, input)) = command
        && run(agent, &core, session, (name.trim(), input.trim()))
    {
        return Ok(None);
    }
    let submitted = core.submit_prompt(Prompt {
        turn: core.next_turn_id(),
        text: written,
        blocks,
        is_in_blocks: true,
        ..Prompt::default()
    });
    submitted.map_err(|why| {
        agent
            .state()
            .sessions
            .get_mut(session)
            .map(|open| open.prompt.take());
        RpcError::new(-32603, why.message)
    })?;
    Ok(None)
}

fn title(written: &str) -> String {
    let title: String = written.chars().take(TITLE_LENGTH).collect();
    let line = title.lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        "Untitled".into()
    } else {
        line.to_owned()
    }
}

/// Runs a slash command; false if it is none.
fn run(agent: Agent<'_>, core: &Session, session: &str, (name, input): (&str, &str)) -> bool {
    let said = match name {
        "compact" => {
            let instructions = (!input.is_empty()).then(|| input.to_owned());
            match core.compact(instructions) {
                Ok(()) => return true,
                Err(why) => why.message,
            }
        }
        "help" => COMMANDS
            .map(|(name, description, _)| format!("/{name}: {description}"))
            .join("\n"),
        "mode" => match options::set(agent.shared_state(), session, "mode", &json!(input)) {
            Ok(updates) => {
                updates.into_iter().for_each(|frame| agent.send(frame));
                format!("The mode is {input}.")
            }
            Err(why) => why.message,
        },
        "plan" => {
            let entry = json!({ "content": input, "priority": "medium", "status": "pending" });
            let plan = json!({ "sessionUpdate": "plan", "entries": [entry] });
            let frame = agent.state().update(session, plan);
            agent.send(frame);
            "The plan has one entry.".into()
        }
        _ => return false,
    };
    let mut state = agent.state();
    let Some(open) = state.sessions.get_mut(session) else {
        return true;
    };
    let message = open.next_message();
    let chunk = json!({
        "sessionUpdate": "agent_message_chunk", "messageId": message, "content": state::text(&said),
    });
    let said = state.update(session, chunk);
    let answer = events::finish(&mut state, session);
    drop(state);
    said.into_iter()
        .chain(answer)
        .for_each(|frame| agent.send(frame));
    if let Ok(mut conversation) = core.conversation.try_borrow_mut() {
        let _ = conversation.save();
    }
    true
}
