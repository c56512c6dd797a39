//! Commands ("RpcCommand", lines 101 to 194), and the errors of lines that are no command.

use super::answers;
use super::attachments::{self, SynapsAttachment};
use super::frames::{error, ok, response};
use super::hooks;
use super::state::{ActiveCommand, COMPACT, SynapsState};
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::Faults;
use crate::model::message::ContentBlock;
use crate::os::stdin::Input;
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SynapsCommand {
    Prompt {
        id: String,
        message: String,
        #[serde(default)]
        attachments: Vec<SynapsAttachment>,
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

impl SynapsCommand {
    /// Whether it changes nothing.
    fn is_query(&self) -> bool {
        matches!(
            self,
            SynapsCommand::GetMessages { .. }
                | SynapsCommand::GetAvailableModels { .. }
                | SynapsCommand::GetSessionStats { .. }
                | SynapsCommand::GetState { .. }
        )
    }
}

/// A line that is no command.
struct BadLine {
    /// Its id, if it has one.
    id: Option<String>,
    /// Its command, if it names one that is not known.
    unknown: Option<String>,
    why: String,
}

/// Why a command is rejected.
type Rejection = String;

/// Handles one line.
pub(super) fn take(session: &Session, input: Input) {
    match read(session, input) {
        Ok(None) => {}
        Ok(Some(command)) => handle(session, command),
        Err(bad) => reject(session, &bad),
    }
}

fn reject(session: &Session, bad: &BadLine) {
    let (id, unknown) = (bad.id.as_deref(), bad.unknown.as_deref());
    if unknown.is_some() && !hooks::rejects_unknown_command(session) {
        return;
    }
    session.events.send_frame(error(id, &bad.why));
    hooks::on_rejected_line(session, id, unknown);
    session.after_rejected_command();
}

/// Reads a line. None if it is blank.
fn read(session: &Session, input: Input) -> Result<Option<SynapsCommand>, BadLine> {
    let bad = |why: String| BadLine {
        id: None,
        unknown: None,
        why,
    };
    let Input::Line(line) = input else {
        hooks::on_oversized_line(session);
        return Err(bad("The frame is longer than 1 MiB".into()));
    };
    let text =
        std::str::from_utf8(&line).map_err(|_| bad("The frame is not valid UTF-8".into()))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let text = hooks::line_text(session, text);
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
        BadLine { id, unknown, why }
    })
}

fn handle(session: &Session, command: SynapsCommand) {
    let answer = |id: &str, name, done: Result<Map<String, Value>, Rejection>| match done {
        Ok(body) => session.events.send_frame(response(id, name, body)),
        Err(why) => session.events.send_frame(error(Some(id), &why)),
    };
    let rejected = |id: &str, done: Result<(), Rejection>| {
        if let Err(why) = done {
            session.events.send_frame(error(Some(id), &why));
        }
    };
    if command.is_query() && !hooks::answers_query(session) {
        return;
    }
    match command {
        SynapsCommand::Prompt {
            id,
            message,
            attachments,
        } => rejected(&id, prompt(session, &id, message, &attachments)),
        SynapsCommand::FollowUp { id, message } => {
            let blocks = Vec::new();
            rejected(&id, send(session, &id, FOLLOW_UP, message, blocks));
        }
        SynapsCommand::Compact { id } => rejected(&id, compact(session, &id)),
        SynapsCommand::NewSession { id } => {
            let renewed = idle(session).map(|()| answers::new_session(session));
            answer(&id, "new_session", renewed);
        }
        SynapsCommand::GetMessages { id } => {
            answer(&id, "get_messages", Ok(answers::messages(session)));
        }
        SynapsCommand::SetModel { id, model } => {
            let set = idle(session).and_then(|()| answers::set_model(session, &model));
            answer(&id, "set_model", set);
        }
        SynapsCommand::GetAvailableModels { id } => {
            answer(&id, "get_available_models", Ok(answers::models(session)));
        }
        SynapsCommand::Abort { id } => abort(session, id),
        SynapsCommand::GetSessionStats { id } => {
            answer(&id, "get_session_stats", Ok(answers::stats(session)));
        }
        SynapsCommand::GetState { id } => answer(&id, "get_state", Ok(answers::state(session))),
        SynapsCommand::Shutdown => shut_down(session),
    }
}

fn idle(session: &Session) -> Result<(), Rejection> {
    if session.is_busy() {
        hooks::on_busy(session);
        return Err("Busy: a turn is at work".into());
    }
    Ok(())
}

fn prompt(
    session: &Session,
    id: &str,
    message: String,
    attachments: &[SynapsAttachment],
) -> Result<(), Rejection> {
    let accepts = |flaw| hooks::accepts_path(session, flaw);
    let mut blocks = attachments::read(attachments, session.workspace.root(), &accepts)?;
    if !hooks::keeps_files(session, &blocks) {
        blocks.clear();
    }
    send(session, id, "prompt", message, blocks)
}

fn send(
    session: &Session,
    id: &str,
    command: &'static str,
    text: String,
    blocks: Vec<ContentBlock>,
) -> Result<(), Rejection> {
    if !hooks::starts_turn(session, &text) {
        session.events.send_frame(response(id, command, ok()));
        return Ok(());
    }
    begin(session, id, command)?;
    if command == FOLLOW_UP {
        hooks::on_follow_up(session);
    }
    // Not the command's id: a host may use an id again.
    let prompt = Prompt {
        turn: session.next_turn_id(),
        text,
        blocks,
        ..Prompt::default()
    };
    session
        .submit_prompt(prompt)
        .map_err(|failure| failure.message)
}

/// Makes this the active command.
fn begin(session: &Session, id: &str, command: &'static str) -> Result<(), Rejection> {
    idle(session)?;
    session.events.encoder(|state: &mut SynapsState| {
        state.active = Some(ActiveCommand {
            id: id.to_owned(),
            name: command,
            model: state.model.clone(),
            answered: false,
            failure: None,
        });
    });
    Ok(())
}

fn compact(session: &Session, id: &str) -> Result<(), Rejection> {
    if !hooks::starts_compaction(session) {
        return Ok(());
    }
    begin(session, id, COMPACT)?;
    session.compact(None).map_err(|failure| failure.message)
}

/// Stops the running turn. Its end is sent before the answer.
fn abort(session: &Session, id: String) {
    if session.is_busy() {
        session.events.encoder(|state: &mut SynapsState| {
            state.pending_aborts.push(id);
            state.fault_memory.aborted = true;
        });
    } else {
        session.events.send_frame(response(&id, "abort", ok()));
    }
    session.stop(Halt::Stop);
}

fn shut_down(session: &Session) {
    if hooks::obeys_shutdown(session) {
        session.request_exit();
    }
}
