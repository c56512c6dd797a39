//! Commands ("RpcCommand", lines 101 to 194), and what is none.

use super::answers;
use super::attachments::{self, Attachment};
use super::events::{COMPACT, Events, Job, ok};
use super::frames::{error, response};
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::{Bug, Faults};
use crate::model::message::Block;
use crate::os::stdin::Input;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Command {
    Prompt {
        id: String,
        message: String,
        #[serde(default)]
        attachments: Vec<Attachment>,
    },
    FollowUp {
        id: String,
        message: String,
    },
    Compact {
        id: String,
    },
    NewSession {
        id: String,
    },
    GetMessages {
        id: String,
    },
    SetModel {
        id: String,
        model: String,
    },
    GetAvailableModels {
        id: String,
    },
    Abort {
        id: String,
    },
    GetSessionStats {
        id: String,
    },
    GetState {
        id: String,
    },
    Shutdown,
}

const FOLLOW_UP: &str = "follow_up";

/// How many lines that are no command end the process. Only a fault counts them.
const MANY: usize = 10;

/// How long an answer takes that a shutdown may overtake. Only a fault has it.
const SLOW: Duration = Duration::from_millis(300);

impl Command {
    /// Whether it only asks.
    fn is_query(&self) -> bool {
        matches!(
            self,
            Command::GetMessages { .. }
                | Command::GetAvailableModels { .. }
                | Command::GetSessionStats { .. }
                | Command::GetState { .. }
        )
    }
}

/// A line that is no command.
struct Bad {
    /// Its id, if it has one.
    id: Option<String>,
    /// The command that it names, and that there is not.
    unknown: Option<String>,
    why: String,
}

/// What a refused command is told.
type Refusal = String;

/// Acts on one line.
pub(super) fn take(session: &Session, input: Input) {
    match read(session, input) {
        Ok(None) => {}
        Ok(Some(command)) => act(session, command),
        Err(bad) => refuse(session, &bad),
    }
}

fn refuse(session: &Session, bad: &Bad) {
    let unknown = bad.unknown.as_deref();
    if unknown.is_some() && Faults::of(session).triggers(Bug::IgnoresUnknownCommand) {
        return;
    }
    session
        .events
        .send_frame(error(bad.id.as_deref(), &bad.why));
    if Faults::of(session).triggers(Bug::BadCommandsAddUp) {
        let count = session.events.encoder(|events: &mut Events| {
            events.seen.bad_lines += 1;
            events.seen.bad_lines
        });
        if count >= Some(MANY) {
            session.events.outbox.exit(1);
        }
    }
    if let Some(name) = unknown
        && Faults::of(session).triggers(Bug::AnswersUnknownCommand)
    {
        let id = bad.id.as_deref().unwrap_or_default();
        session.events.send_frame(response(id, name, ok()));
    }
    session.refused();
}

/// Reads a line; a blank one says nothing.
fn read(session: &Session, input: Input) -> Result<Option<Command>, Bad> {
    let bad = |why: String| Bad {
        id: None,
        unknown: None,
        why,
    };
    let Input::Line(line) = input else {
        if Faults::of(session).triggers(Bug::OversizeExits) {
            session.events.outbox.exit(0);
        }
        return Err(bad("The frame is longer than 1 MiB".into()));
    };
    let text =
        std::str::from_utf8(&line).map_err(|_| bad("The frame is not valid UTF-8".into()))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let kept = Faults::of(session).triggers(Bug::EscapesAreKept);
    let text = if kept {
        text.replace("\\u", "\\\\u")
    } else {
        text.to_owned()
    };
    let mut command: Value = serde_json::from_str(&text)
        .map_err(|error| bad(format!("The frame is not JSON: {error}")))?;
    if !command.is_object() {
        return Err(bad("The frame is not a JSON object".into()));
    }
    Faults::of(session).command(&mut command);
    let id = command["id"].as_str().map(str::to_owned);
    let name = command["type"].as_str().unwrap_or_default().to_owned();
    serde_json::from_value(command).map(Some).map_err(|error| {
        let why = format!("Invalid command: {error}");
        let unknown = why.contains("unknown variant").then_some(name);
        Bad { id, unknown, why }
    })
}

fn act(session: &Session, command: Command) {
    let answer = |id: &str, name, done: Result<Map<String, Value>, Refusal>| match done {
        Ok(body) => session.events.send_frame(response(id, name, body)),
        Err(why) => session.events.send_frame(error(Some(id), &why)),
    };
    let begun = |id: &str, done: Result<(), Refusal>| {
        if let Err(why) = done {
            session.events.send_frame(error(Some(id), &why));
        }
    };
    let faults = Faults::of(session);
    if session.is_busy() && command.is_query() && faults.triggers(Bug::DeafWhileBusy) {
        return;
    }
    if command.is_query() && faults.is_armed(Bug::QuitDropsAnswers) {
        session.events.outbox.pause(SLOW);
    }
    match command {
        Command::Prompt {
            id,
            message,
            attachments,
        } => begun(&id, prompt(session, &id, message, &attachments)),
        Command::FollowUp { id, message } => {
            let blocks = Vec::new();
            begun(&id, say(session, &id, FOLLOW_UP, message, blocks));
        }
        Command::Compact { id } => begun(&id, compact(session, &id)),
        Command::NewSession { id } => {
            let renewed = idle(session).map(|()| answers::new_session(session));
            answer(&id, "new_session", renewed);
        }
        Command::GetMessages { id } => {
            answer(&id, "get_messages", Ok(answers::messages(session)));
        }
        Command::SetModel { id, model } => {
            let set = idle(session).and_then(|()| answers::set_model(session, &model));
            answer(&id, "set_model", set);
        }
        Command::GetAvailableModels { id } => {
            answer(&id, "get_available_models", Ok(answers::models(session)));
        }
        Command::Abort { id } => abort(session, id),
        Command::GetSessionStats { id } => {
            answer(&id, "get_session_stats", Ok(answers::stats(session)));
        }
        Command::GetState { id } => answer(&id, "get_state", Ok(answers::state(session))),
        Command::Shutdown => shut_down(session),
    }
}

fn idle(session: &Session) -> Result<(), Refusal> {
    if session.is_busy() {
        if Faults::of(session).triggers(Bug::BusyEndsTurn) {
            session.stop(Halt::Stop);
        }
        return Err("Busy: a turn is at work".into());
    }
    Ok(())
}

fn prompt(
    session: &Session,
    id: &str,
    message: String,
    attachments: &[Attachment],
) -> Result<(), Refusal> {
    let mut blocks =
        attachments::read(attachments, session.workspace.root(), &Faults::of(session))?;
    if !blocks.is_empty() && Faults::of(session).triggers(Bug::LosesFiles) {
        blocks.clear();
    }
    say(session, id, "prompt", message, blocks)
}

fn say(
    session: &Session,
    id: &str,
    command: &'static str,
    text: String,
    blocks: Vec<Block>,
) -> Result<(), Refusal> {
    if session.is_busy() && Faults::of(session).triggers(Bug::DropsWhileBusy) {
        session.events.send_frame(response(id, command, ok()));
        return Ok(());
    }
    let again = session.events.encoder(|events: &mut Events| {
        std::mem::replace(&mut events.seen.message, text.clone()) == text
    });
    if again == Some(true) && Faults::of(session).triggers(Bug::SaysTheSameOnce) {
        session.events.send_frame(response(id, command, ok()));
        return Ok(());
    }
    begin(session, id, command)?;
    if command == FOLLOW_UP && Faults::of(session).triggers(Bug::FollowUpForgets) {
        session.conversation.borrow_mut().messages.clear();
    }
    // A number of its own: a host may use an id again.
    let prompt = Prompt {
        turn: session.next_turn(),
        text,
        blocks,
        ..Prompt::default()
    };
    session.prompt(prompt).map_err(|failure| failure.message)
}

/// Begins what takes a while.
fn begin(session: &Session, id: &str, command: &'static str) -> Result<(), Refusal> {
    idle(session)?;
    session.events.encoder(|events: &mut Events| {
        events.job = Some(Job {
            id: id.to_owned(),
            command,
            model: events.model.clone(),
            heard: false,
            failure: None,
        });
    });
    Ok(())
}

fn compact(session: &Session, id: &str) -> Result<(), Refusal> {
    if Faults::of(session).triggers(Bug::CompactHangs) {
        return Ok(());
    }
    begin(session, id, COMPACT)?;
    session.compact(None).map_err(|failure| failure.message)
}

/// Stops the turn at work; its end comes before the answer.
fn abort(session: &Session, id: String) {
    if session.is_busy() {
        session.events.encoder(|events: &mut Events| {
            events.aborts.push(id);
            events.seen.abort = true;
        });
    } else {
        session.events.send_frame(response(&id, "abort", ok()));
    }
    session.stop(Halt::Stop);
}

fn shut_down(session: &Session) {
    let faults = Faults::of(session);
    if faults.triggers(Bug::QuitDropsAnswers) {
        std::process::exit(0);
    }
    if faults.triggers(Bug::AnswersQuit) {
        session.events.send_frame(response("", "shutdown", ok()));
    }
    let deaf = session.is_busy() && faults.triggers(Bug::DeafToQuitInTurn);
    if !deaf && !faults.triggers(Bug::DeafToQuit) {
        session.leave();
    }
}
