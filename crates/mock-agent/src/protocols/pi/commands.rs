//! The command table, and the commands that start, stop and compact runs.

use super::dialogs;
use super::hooks;
use super::models;
use super::queries;
use super::queue;
use super::responses::{Answer, Handler, PiCommand, respond};
use super::sessions;
use super::shell;
use super::state::PiState;
use super::version::PiVersion;
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::core::session::Session;
use crate::faults::Faults;
use crate::os::stdin::Input;
use serde_json::Value;

/// The commands of every version.
const COMMANDS: &[(&str, Handler)] = &[
    ("prompt", prompt),
    ("steer", |c| Some(queue::steer(c))),
    ("follow_up", |c| Some(queue::follow_up(c))),
    ("abort", abort),
    ("new_session", sessions::new_session),
    ("get_state", |c| Some(queries::state(c))),
    ("get_messages", |c| Some(queries::messages(c))),
    ("set_model", |c| Some(models::set_model(c))),
    ("cycle_model", |c| Some(models::cycle_model(c))),
    ("get_available_models", |c| {
        Some(models::available_models(c))
    }),
    ("set_thinking_level", |c| Some(models::set_level(c))),
    ("cycle_thinking_level", |c| Some(models::cycle_level(c))),
    ("set_steering_mode", |c| {
        Some(queue::set_mode(c, &c.session.queues.steering))
    }),
    ("set_follow_up_mode", |c| {
        Some(queue::set_mode(c, &c.session.queues.follow_up))
    }),
    ("compact", compact),
    ("set_auto_compaction", |c| {
        Some(c.flag("enabled").map(|on| {
            c.session.auto_compaction.set(on);
            None
        }))
    }),
    ("set_auto_retry", |c| {
        Some(c.flag("enabled").map(|on| {
            c.session.retry.enabled.set(on);
            None
        }))
    }),
    ("abort_retry", |c| {
        if hooks::stops_retry(c.session) {
            c.session.retry.cancel();
        }
        Some(Ok(None))
    }),
    ("bash", shell::bash),
    ("abort_bash", |c| Some(shell::abort(c))),
    ("get_session_stats", |c| Some(queries::stats(c))),
    ("export_html", |c| Some(sessions::export(c))),
    ("switch_session", sessions::switch_session),
    ("fork", sessions::fork),
    ("clone", sessions::clone_session),
    ("get_fork_messages", |c| Some(queries::fork_messages(c))),
    ("get_last_assistant_text", |c| Some(queries::last_text(c))),
    ("set_session_name", |c| Some(sessions::set_name(c))),
    ("get_commands", |c| Some(queries::commands(c))),
];

/// Whether a version has a feature.
type PiFeature = fn(PiVersion) -> bool;

/// The commands that only some versions have.
const OPTIONAL_COMMANDS: &[(&str, PiFeature, Handler)] = &[
    ("clear_queue", PiVersion::has_clear_queue, |c| {
        Some(queue::clear(c))
    }),
    (
        "get_available_thinking_levels",
        PiVersion::lists_levels,
        |c| Some(models::available_levels(c)),
    ),
    ("get_entries", PiVersion::has_entries, |c| {
        Some(queries::entries(c))
    }),
    ("get_tree", PiVersion::has_entries, |c| {
        Some(queries::tree(c))
    }),
];

fn handler(version: PiVersion, name: &str) -> Option<Handler> {
    let always = COMMANDS.iter().find(|(known, _)| *known == name);
    let optional = OPTIONAL_COMMANDS
        .iter()
        .find(|(known, in_version, _)| *known == name && in_version(version));
    always
        .map(|(_, handler)| *handler)
        .or(optional.map(|(_, _, handler)| *handler))
}

/// Handles one line.
pub(super) fn take(session: &Session, input: Input, version: PiVersion) {
    let mut fields = match read(input) {
        Ok(fields) => fields,
        Err(why) => {
            let why = format!("Failed to parse command: {why}");
            respond(session, None, "parse", Err(why));
            return session.after_rejected_command();
        }
    };
    sessions::begin(session);
    Faults::of(session).command(&mut fields);
    if fields["type"] == "extension_ui_response" {
        return dialogs::handle_answer(session, &fields);
    }
    let command = PiCommand {
        session,
        version,
        fields,
    };
    let kind = command.fields["type"].as_str().unwrap_or("unknown");
    let answer = match handler(version, kind) {
        Some(handle) => handle(&command),
        None => Some(Err(format!("Unknown command: {kind}"))),
    };
    if let Some(answer) = answer {
        let refused = answer.is_err();
        respond(session, command.id(), kind, answer);
        if refused {
            session.after_rejected_command();
        }
    }
}

fn read(input: Input) -> Result<Value, String> {
    let Input::Line(line) = input else {
        return Err("the line is longer than 64 MiB".to_owned());
    };
    let text = std::str::from_utf8(&line).map_err(|_| "the line is not UTF-8")?;
    serde_json::from_str(text.trim()).map_err(|error| error.to_string())
}

fn prompt(command: &PiCommand<'_>) -> Option<Answer> {
    match start_run(command) {
        Ok(()) => None,
        Err(why) => Some(Err(why)),
    }
}

fn start_run(command: &PiCommand<'_>) -> Result<(), String> {
    const BUSY: &str = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
    let session = command.session;
    let text = command.text("message")?;
    if let Some(dialogs) = dialogs::extension_command(session, text) {
        dialogs::run_extension_command(session, command.id().cloned(), dialogs);
        return Ok(());
    }
    let prompt = queue::prompt(command, text)?;
    if session.has_turn() {
        match command.fields["streamingBehavior"].as_str() {
            Some("steer") => queue::push(session, prompt, false),
            Some("followUp") => queue::push(session, prompt, true),
            _ => return Err(BUSY.to_owned()),
        }
        respond(session, command.id(), "prompt", Ok(None));
        return Ok(());
    }
    respond(session, command.id(), "prompt", Ok(None));
    let dialogs = dialogs::prepare_run(session, text);
    if dialogs.is_empty() {
        return submit(session, prompt);
    }
    let id = command.id().cloned();
    dialogs::ask_all(session, dialogs, move |session| {
        if let Err(why) = submit(session, prompt) {
            respond(session, id.as_ref(), "prompt", Err(why));
        }
    });
    Ok(())
}

fn submit(session: &Session, prompt: Prompt) -> Result<(), String> {
    models::before_run(session);
    session
        .submit_prompt(prompt)
        .map_err(|failure| failure.message)
}

fn abort(command: &PiCommand<'_>) -> Option<Answer> {
    let session = command.session;
    if !session.is_busy() {
        session.hooks.on_idle_stop();
        return Some(Ok(None));
    }
    let id = command.id().cloned();
    PiState::with(session, |state| state.pending_aborts.push(id));
    session.stop(Halt::Stop);
    None
}

fn compact(command: &PiCommand<'_>) -> Option<Answer> {
    let session = command.session;
    let instructions = command.fields["customInstructions"].as_str();
    let id = command.id().cloned();
    PiState::with(session, |state| state.pending_compacts.push(id));
    if session.has_turn() {
        session.stop(Halt::Stop);
    }
    match session.compact(instructions.map(str::to_owned)) {
        Ok(()) => None,
        Err(failure) => {
            PiState::with(session, |state| state.pending_compacts.pop());
            Some(Err(failure.message))
        }
    }
}
