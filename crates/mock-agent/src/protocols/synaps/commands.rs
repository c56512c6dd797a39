//! Commands ("RpcCommand", lines 101 to 194), and the errors of lines that are no command.

use super::answers;
use super::attachments::{self, SynapsAttachment};
use super::frames::{LIMIT, error, ok, response};
use super::hooks;
use super::state::{ActiveCommand, SynapsState};
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::faults::Faults;
use crate::model::message::ContentBlock;
use crate::os::stdin::Input;
use crate::protocols::commands::text;
use crate::protocols::session::ProtocolSession;
use serde::Deserialize;
use serde_json::{Map, Value};

pub(super) type SynapsSession<'a> = ProtocolSession<'a, SynapsState>;

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
    id: String,
}

/// The body of the response to a command; none if the response comes later. Or why the command is rejected.
type Answer = Result<Option<Map<String, Value>>, String>;

/// A line that is no command.
#[derive(Default)]
struct BadLine {
    /// Its id, if it has one.
    id: Option<String>,
    /// Its command, if it names one that is not known.
    unknown: Option<String>,
    why: String,
}

impl From<String> for BadLine {
    fn from(why: String) -> Self {
        BadLine {
            why,
            ..BadLine::default()
        }
    }
}

/// Handles one line.
pub(super) fn take(session: SynapsSession<'_>, input: &Input) {
    let line = match read(session, input) {
        Ok(line) => line,
        Err(bad) => return reject(session, &bad),
    };
    let Some((id, name, command)) = line else {
        return;
    };
    let is_query = name.starts_with("get_");
    if is_query && !hooks::answers_query(&session) {
        return;
    }
    session.send(match answer(session, (&id, &name), command) {
        Ok(body) => body.map(|body| response(&id, &name, body)),
        Err(why) => Some(error(Some(&id), &why)),
    });
}

fn reject(session: SynapsSession<'_>, bad: &BadLine) {
    let (id, unknown) = (bad.id.as_deref(), bad.unknown.as_deref());
    if unknown.is_some() && !hooks::rejects_unknown_command(&session) {
        return;
    }
    session.send(error(id, &bad.why));
    hooks::on_rejected_line(session, id, unknown);
    session.after_rejected_command();
}

/// Reads a line: the id of its command, the command's name, and the command. None if the line is blank.
fn read(
    session: SynapsSession<'_>,
    input: &Input,
) -> Result<Option<(String, String, SynapsCommand)>, BadLine> {
    if *input == Input::TooLong {
        hooks::on_oversized_line(&session);
    }
    let text = text(input, "The frame", LIMIT)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let text = hooks::line_text(&session, text);
    let mut command: Value =
        serde_json::from_str(&text).map_err(|error| format!("The frame is not JSON: {error}"))?;
    if !command.is_object() {
        return Err("The frame is not a JSON object".to_owned().into());
    }
    Faults::of(&session).command(&mut command);
    let member = |name: &str| command[name].as_str().map(str::to_owned);
    let (id, name) = (member("id"), member("type").unwrap_or_default());
    let bad = |error: serde_json::Error| {
        let why = format!("Invalid command: {error}");
        let unknown = why.contains("unknown variant").then(|| name.clone());
        let id = id.clone();
        BadLine { id, unknown, why }
    };
    let known = SynapsCommand::deserialize(&command).map_err(bad)?;
    let id = match known {
        SynapsCommand::Shutdown => String::new(),
        _ => Identified::deserialize(&command).map_err(bad)?.id,
    };
    Ok(Some((id, name, known)))
}

fn answer(session: SynapsSession<'_>, named: (&str, &str), command: SynapsCommand) -> Answer {
    let body = match command {
        SynapsCommand::Prompt {
            message,
            attachments,
        } => {
            let accepts = |flaw| hooks::accepts_path(&session, flaw);
            let root = session.workspace.root();
            let mut blocks = attachments::read(&attachments, root, &accepts)?;
            if !hooks::keeps_files(&session, &blocks) {
                blocks.clear();
            }
            return send(session, named, message, blocks);
        }
        SynapsCommand::FollowUp { message } => return send(session, named, message, vec![]),
        SynapsCommand::Compact => return compact(session, named),
        SynapsCommand::Abort => return Ok(abort(session, named.0)),
        SynapsCommand::Shutdown => {
            if hooks::obeys_shutdown(&session) {
                session.request_exit();
            }
            return Ok(None);
        }
        SynapsCommand::NewSession => {
            check_idle(session)?;
            answers::new_session(session)
        }
        SynapsCommand::SetModel { model } => {
            check_idle(session)?;
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
        hooks::on_busy(&session);
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
    if !hooks::starts_turn(session, &text) {
        return Ok(Some(ok()));
    }
    begin(session, named)?;
    if named.1 == "follow_up" {
        hooks::on_follow_up(&session);
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

/// Makes this the active command.
fn begin(session: SynapsSession<'_>, (id, name): (&str, &str)) -> Result<(), String> {
    check_idle(session)?;
    let mut state = session.state();
    state.active = Some(ActiveCommand {
        id: id.to_owned(),
        name: name.to_owned(),
        model: state.model.clone(),
        answered: false,
        failure: None,
    });
    Ok(())
}

fn compact(session: SynapsSession<'_>, named: (&str, &str)) -> Answer {
    if !hooks::starts_compaction(&session) {
        return Ok(None);
    }
    begin(session, named)?;
    let compacted = session.compact(None);
    compacted.map(|()| None).map_err(|failure| failure.message)
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
    state.fault_memory.aborted = true;
    drop(state);
    session.stop(Halt::Stop);
    None
}
