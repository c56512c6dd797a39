//! Commands ("RpcCommand", lines 101 to 194), and the errors of lines that are not a command.

use super::attachments::SynapsAttachment;
use super::frames::{LIMIT, error, ok, response};
use super::{ActiveCommand, COMPACT, SynapsState, answers};
use crate::core::{Halt, Prompt};
use crate::faults::Bug;
use crate::model::ContentBlock;
use crate::os::stdin::Input;
use crate::protocols::commands::text;
use crate::protocols::session::ProtocolSession;
use frame_faults::Output;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

pub(super) type SynapsSession<'a> = ProtocolSession<'a, SynapsState>;

/// How many bad lines end the process, by a fault.
const TOO_MANY_BAD_LINES: usize = 10;

/// The delay of an answer that a shutdown overtakes, with a fault.
const SLOW_ANSWER: Duration = Duration::from_millis(300);

/// Every command and its arguments. All but `shutdown` have an id, too.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SynapsCommand {
    Prompt {
        message: String,
        #[serde(default)]
        attachments: Vec<SynapsAttachment>,
    },
    FollowUp {
        message: String,
    },
    Compact,
    NewSession,
    GetMessages,
    SetModel {
        model: String,
    },
    GetAvailableModels,
    Abort,
    GetSessionStats,
    GetState,
    Shutdown,
}

#[derive(Debug, Deserialize)]
struct Identified {
    #[serde(rename = "id")]
    _id: String,
}

/// The body of the response to a command; none if the response comes later. Or why the command is rejected.
type Answer = Result<Option<Map<String, Value>>, String>;

pub(super) fn take(session: SynapsSession<'_>, input: &Input) {
    let command = match read(session, input) {
        Ok(Some(command)) => command,
        Ok(None) => return,
        Err(why) => return reject(session, (None, None), &why),
    };
    let member = |name: &str| command[name].as_str();
    let (id, name) = (member("id"), member("type").unwrap_or_default());
    let known = match decode(&command) {
        Ok(known) => known,
        Err(error) => {
            let why = format!("Invalid command: {error}");
            let unknown = why.contains("unknown variant").then_some(name);
            return reject(session, (id, unknown), &why);
        }
    };
    let id = id.unwrap_or_default();
    let is_query = name.starts_with("get_");
    if is_query {
        if session.is_busy() && session.faults.triggers(Bug::IgnoresQueriesWhileBusy) {
            return;
        }
        if session.faults.is_armed(Bug::QuitDropsAnswers) {
            session.events.outbox.queue(Output::Wait(SLOW_ANSWER));
        }
    }
    let was_busy = session.is_busy();
    let answer = match answer(session, (id, name), known) {
        Ok(_) if is_query && was_busy && session.faults.triggers(Bug::RefusesQueriesWhileBusy) => {
            Some(error(Some(id), "Busy: a turn is at work"))
        }
        Ok(body) => body.map(|body| response(id, name, body)),
        Err(why) => Some(error(Some(id), &why)),
    };
    if is_query && was_busy && session.faults.triggers(Bug::AnswersAfterTurn) {
        session.state().delayed.extend(answer)
    } else {
        session.send(answer)
    }
}

/// Rejects a line with the id of its command, and the command's name if it is not known.
fn reject(session: SynapsSession<'_>, (id, unknown): (Option<&str>, Option<&str>), why: &str) {
    if unknown.is_some() && session.faults.triggers(Bug::IgnoresUnknownCommand) {
        return;
    }
    session.send(error(id, why));
    if session.faults.triggers(Bug::TooManyBadCommandsExit) {
        let mut state = session.state();
        state.bad_lines += 1;
        if state.bad_lines >= TOO_MANY_BAD_LINES {
            session.events.outbox.exit(1);
        }
    }
    if let Some(name) = unknown
        && session.faults.triggers(Bug::AnswersUnknownCommand)
    {
        session.send(response(id.unwrap_or_default(), name, ok()));
    }
    session.after_rejected_command();
}

/// The command in a line, an object; none if the line is blank.
fn read(session: SynapsSession<'_>, input: &Input) -> Result<Option<Value>, String> {
    if *input == Input::TooLong {
        session.exit_if(Bug::LongLineExits);
    }
    let text = text(input, "The frame", LIMIT)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let text = if session.faults.triggers(Bug::EscapesAreKept) {
        &text.replace("\\u", "\\\\u")
    } else {
        text
    };
    let command = json_matcher::read_json(text.as_bytes())
        .map_err(|error| format!("The frame is not JSON: {error}"))?;
    if !command.is_object() {
        return Err("The frame is not a JSON object".to_owned());
    }
    Ok(session.taken(command))
}

fn decode(command: &Value) -> Result<SynapsCommand, serde_json::Error> {
    let known = SynapsCommand::deserialize(command)?;
    if !matches!(known, SynapsCommand::Shutdown) {
        Identified::deserialize(command)?;
    }
    Ok(known)
}

fn answer(session: SynapsSession<'_>, named: (&str, &str), command: SynapsCommand) -> Answer {
    let body = match command {
        SynapsCommand::Prompt {
            message,
            attachments,
        } => {
            let (root, faults) = (&*session.workspace.root, &session.faults);
            let read: Result<Vec<_>, _> = attachments
                .iter()
                .map(|one| one.read(root, faults))
                .collect();
            let mut blocks = read.map_err(|why| why.to_string())?;
            if !blocks.is_empty() && faults.triggers(Bug::LosesFiles) {
                blocks.clear();
            }
            return send(session, named, message, blocks);
        }
        SynapsCommand::FollowUp { message } => return send(session, named, message, vec![]),
        SynapsCommand::Compact => return compact(session, named),
        SynapsCommand::Abort => return Ok(abort(session, named.0)),
        SynapsCommand::Shutdown => {
            shut_down(session);
            return Ok(None);
        }
        SynapsCommand::NewSession => {
            check_idle(session)?;
            answers::new_session(session)
        }
        SynapsCommand::SetModel { model } => {
            if !session.faults.triggers(Bug::SetsModelWhileBusy) {
                check_idle(session)?;
            }
            answers::set_model(session, &model)?
        }
        SynapsCommand::GetMessages => answers::messages(session),
        SynapsCommand::GetAvailableModels => answers::models(session),
        SynapsCommand::GetSessionStats => answers::stats(session),
        SynapsCommand::GetState => answers::state(session),
    };
    Ok(body.as_object().cloned())
}

fn check_idle(session: SynapsSession<'_>) -> Result<(), String> {
    if session.is_busy() {
        if session.faults.triggers(Bug::BusyEndsTurn) {
            session.stop(Halt::Stop);
        }
        return Err("Busy: a turn is at work".into());
    }
    Ok(())
}

fn send(
    session: SynapsSession<'_>,
    named: (&str, &str),
    text: String,
    blocks: Vec<ContentBlock>,
) -> Answer {
    let faults = &session.faults;
    if session.is_busy() && faults.triggers(Bug::DropsWhileBusy) {
        return Ok(Some(ok()));
    }
    let before = std::mem::replace(&mut session.state().message, text.clone());
    if before == text && faults.triggers(Bug::DropsRepeatedPrompt) {
        return Ok(Some(ok()));
    }
    begin(session, named)?;
    if named.1 == "follow_up" {
        session.forget_turns_if(Bug::FollowUpForgets);
    }
    // Not the command's id: a host may use an id again.
    let prompt = Prompt {
        turn: session.next_turn_id(),
        text,
        blocks,
        ..Prompt::default()
    };
    let sent = session.submit_prompt(prompt);
    sent.map(|()| None).map_err(|failure| failure.message)
}

fn begin(session: SynapsSession<'_>, (id, name): (&str, &str)) -> Result<(), String> {
    let (faults, is_turn) = (&session.faults, name != COMPACT);
    let interrupts = faults.is_armed(Bug::InterruptsWhileBusy);
    let queues =
        is_turn && session.is_busy() && (interrupts || faults.triggers(Bug::QueuesWhileBusy));
    if !queues {
        check_idle(session)?;
    }
    let command = ActiveCommand {
        id: id.to_owned(),
        name: name.to_owned(),
        model: session.state().model.clone(),
        answered: false,
        failure: None,
        is_responded: is_turn && faults.triggers(Bug::AnswersPromptFirst),
        failure_has_no_end: is_turn && faults.triggers(Bug::FailureHasNoEnd),
    };
    if command.is_responded {
        session.send(response(id, name, ok()));
    }
    let mut state = session.state();
    if queues {
        state.queued.push_back(command)
    } else {
        state.active = Some(command)
    }
    Ok(())
}

fn compact(session: SynapsSession<'_>, named: (&str, &str)) -> Answer {
    if session.faults.triggers(Bug::CompactHangs) {
        return Ok(None);
    }
    begin(session, named)?;
    let compacted = session.compact(None);
    compacted.map(|()| None).map_err(|failure| failure.message)
}

fn shut_down(session: SynapsSession<'_>) {
    let faults = &session.faults;
    if faults.triggers(Bug::QuitDropsAnswers) {
        std::process::exit(0);
    }
    if faults.triggers(Bug::AnswersQuit) {
        session.send(response("", "shutdown", ok()));
    }
    let ignored = session.is_busy() && faults.triggers(Bug::IgnoresQuitInTurn)
        || faults.triggers(Bug::IgnoresQuit);
    if !ignored {
        session.exit_requested.set(true);
    }
}

/// Stops the running turn. Its end is sent before the answer.
fn abort(session: SynapsSession<'_>, id: &str) -> Option<Map<String, Value>> {
    if !session.is_busy() {
        session.send(response(id, "abort", ok()));
        session.stop(Halt::Stop);
        return None;
    }
    let mut state = session.state();
    state.pending_aborts.push(id.to_owned());
    state.aborted = true;
    drop(state);
    session.stop(Halt::Stop);
    None
}
