//! The command table, and the commands that start, stop and compact runs.

use super::adapters::LINE_LIMIT;
use super::responses::{accepted, respond, response};
use super::{
    Answer, Handler, PiCommand, PiSession, PiVersion, Reply, V0_73, V0_87, dialogs, models,
    queries, queue, sessions, shell,
};
use crate::core::{Halt, Prompt};
use crate::faults::Bug;
use crate::os::stdin::Input;
use crate::protocols::commands::{CommandTable, find, text};
use serde_json::Value;

const COMMANDS: &CommandTable<PiVersion, Handler> = &[
    ("prompt", V0_73, prompt),
    ("steer", V0_73, |c| queue::enqueue(c, false)),
    ("follow_up", V0_73, |c| queue::enqueue(c, true)),
    ("clear_queue", V0_87, queue::clear),
    ("abort", V0_73, abort),
    ("new_session", V0_73, sessions::new_session),
    ("get_state", V0_73, queries::state),
    ("get_messages", V0_73, queries::messages),
    ("set_model", V0_73, models::set_model),
    ("cycle_model", V0_73, models::cycle_model),
    ("get_available_models", V0_73, models::available_models),
    ("set_thinking_level", V0_73, models::set_level),
    ("cycle_thinking_level", V0_73, models::cycle_level),
    (
        "get_available_thinking_levels",
        V0_87,
        models::available_levels,
    ),
    ("set_steering_mode", V0_73, |c| {
        queue::set_mode(c, &c.session.queues.steering)
    }),
    ("set_follow_up_mode", V0_73, |c| {
        queue::set_mode(c, &c.session.queues.follow_up)
    }),
    ("compact", V0_73, compact),
    ("set_auto_compaction", V0_73, |c| {
        c.session.never_compacts.set(!c.flag("enabled")?);
        Ok(Reply::Done)
    }),
    ("set_auto_retry", V0_73, |c| {
        c.session.retry.is_off.set(!c.flag("enabled")?);
        Ok(Reply::Done)
    }),
    ("abort_retry", V0_73, |c| {
        if !c.session.faults.triggers(Bug::RetryNotCancelled) {
            c.session.retry.cancel();
        }
        Ok(Reply::Done)
    }),
    ("bash", V0_73, shell::bash),
    ("abort_bash", V0_73, shell::abort),
    ("get_session_stats", V0_73, queries::stats),
    ("export_html", V0_73, sessions::export),
    ("switch_session", V0_73, sessions::switch_session),
    ("fork", V0_73, sessions::fork),
    ("clone", V0_73, sessions::clone_session),
    ("get_fork_messages", V0_73, queries::fork_messages),
    ("get_last_assistant_text", V0_73, queries::last_text),
    ("set_session_name", V0_73, sessions::set_name),
    ("get_commands", V0_73, queries::commands),
    ("get_entries", V0_87, queries::entries),
    ("get_tree", V0_87, queries::tree),
];

pub(super) fn take(session: PiSession<'_>, input: &Input) {
    let fields = match read(input) {
        Ok(fields) => fields,
        Err(why) => {
            let why = format!("Failed to parse command: {why}");
            session.send(response(&Value::Null, "parse", Err(why)));
            return session.after_rejected_command();
        }
    };
    sessions::begin(session);
    let Some(fields) = session.taken(fields) else {
        return;
    };
    let command = PiCommand { session, fields };
    if command.fields["type"] == "extension_ui_response" {
        return dialogs::handle_answer(session, &command.fields);
    }
    let kind = command.fields["type"].as_str().unwrap_or("unknown");
    let handler = find(COMMANDS, session.state().version, kind);
    let answer = match handler {
        Some(handle) => handle(&command),
        None => Err(format!("Unknown command: {kind}")),
    };
    let refused = answer.is_err();
    respond(session, &command.fields, answer);
    if refused {
        session.after_rejected_command();
    }
}

fn read(input: &Input) -> Result<Value, String> {
    let text = text(input, "the line", LINE_LIMIT)?;
    json_matcher::read_json(text.trim().as_bytes()).map_err(|error| error.to_string())
}

fn prompt(command: &PiCommand<'_>) -> Answer {
    const BUSY: &str = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
    let PiCommand { session, fields } = command;
    let session = *session;
    let text = command.text("message")?;
    if let Some(dialogs) = dialogs::extension_command(session, text) {
        dialogs::run_extension_command(command, dialogs);
        return Ok(Reply::Later);
    }
    if session.state().script.consumes(text) {
        return accepted(session, "handled");
    }
    let prompt = queue::prompt(command, text)?;
    if session.has_turn() {
        match fields["streamingBehavior"].as_str() {
            Some("steer") => queue::push(session, prompt, false),
            Some("followUp") => queue::push(session, prompt, true),
            _ => return Err(BUSY.to_owned()),
        }
        return accepted(session, "queued");
    }
    respond(session, fields, accepted(session, "started"));
    let dialogs = dialogs::prepare_run(session, text);
    if dialogs.is_empty() {
        return submit(session, prompt);
    }
    let fields = fields.clone();
    session.spawn(async move |session| {
        for dialog in &dialogs {
            dialogs::show(session, dialog).await;
        }
        respond(session, &fields, submit(session, prompt));
    });
    Ok(Reply::Later)
}

fn submit(session: PiSession<'_>, prompt: Prompt) -> Answer {
    models::before_run(session);
    let mut state = session.state();
    state.results_at_once = session.faults.triggers(Bug::ResultsComeAtOnce);
    state.queue_starts_runs = session.faults.triggers(Bug::QueueStartsRuns);
    drop(state);
    let submitted = session.submit_prompt(prompt);
    submitted
        .map(|()| Reply::Later)
        .map_err(|failure| failure.message)
}

fn abort(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    if !session.is_busy() {
        session.stop(Halt::Stop);
        return Ok(Reply::Done);
    }
    if session.faults.triggers(Bug::AnswersAbortAtOnce) {
        respond(session, &command.fields, Ok(Reply::Done));
    } else {
        let id = command.fields["id"].clone();
        session.state().pending_aborts.push(id);
    }
    session.stop(Halt::Stop);
    Ok(Reply::Later)
}

fn compact(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    let instructions = command.fields["customInstructions"].as_str();
    let id = command.fields["id"].clone();
    session.state().pending_compacts.push(id);
    if session.has_turn() {
        session.stop(Halt::Stop);
    }
    session
        .compact(instructions.map(str::to_owned))
        .map(|()| Reply::Later)
        .map_err(|failure| {
            session.state().pending_compacts.pop();
            failure.message
        })
}
