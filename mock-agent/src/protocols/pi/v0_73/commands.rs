//! "Commands" of the page, and what is none.

use super::dialogs;
use super::events::queue_update;
use super::expand::expand;
use super::model;
use super::queries;
use super::responses::{Answer, respond};
use super::sessions;
use super::shell;
use super::state::Modern;
use crate::core::failure::Halt;
use crate::core::message::Block;
use crate::core::message::Prompt;
use crate::core::queues::{Queue, Queues};
use crate::core::session::Session;
use crate::faults::Bug;
use crate::os::stdin::Input;
use serde_json::{Value, json};

/// A command, read.
pub(super) struct Command<'a> {
    pub(super) session: &'a Session,
    pub(super) fields: Value,
}

/// What a command does: its answer, or nothing yet where the answer comes later.
pub(super) type Action = fn(&Command<'_>) -> Option<Answer>;

pub(super) const COMMANDS: &[(&str, Action)] = &[
    ("prompt", prompt),
    ("steer", |c| {
        Some(c.queue("steer", &c.session.queues.steering))
    }),
    ("follow_up", |c| {
        Some(c.queue("follow_up", &c.session.queues.following))
    }),
    ("abort", abort),
    ("new_session", sessions::renew),
    ("get_state", |c| Some(queries::state(c))),
    ("get_messages", |c| Some(queries::messages(c))),
    ("set_model", |c| Some(model::set(c))),
    ("cycle_model", |c| Some(model::cycle(c))),
    ("get_available_models", |c| Some(model::available(c))),
    ("set_thinking_level", |c| Some(model::set_level(c))),
    ("cycle_thinking_level", |c| Some(model::cycle_level(c))),
    ("set_steering_mode", |c| {
        Some(c.set_mode(&c.session.queues.steering))
    }),
    ("set_follow_up_mode", |c| {
        Some(c.set_mode(&c.session.queues.following))
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
            c.session.retry.on.set(on);
            None
        }))
    }),
    ("abort_retry", |c| {
        if !c.session.faults.plays(Bug::RetryWaitsOn) {
            c.session.retry.stop();
        }
        Some(Ok(None))
    }),
    ("bash", shell::bash),
    ("abort_bash", |c| Some(shell::abort(c))),
    ("get_session_stats", |c| Some(queries::stats(c))),
    ("export_html", |c| Some(sessions::export(c))),
    ("switch_session", sessions::switch),
    ("fork", sessions::fork),
    ("clone", sessions::clone),
    ("get_fork_messages", |c| Some(queries::fork_messages(c))),
    ("get_last_assistant_text", |c| Some(queries::last_text(c))),
    ("set_session_name", |c| Some(sessions::name(c))),
    ("get_commands", |c| Some(queries::commands(c))),
];

/// Acts on one line, by the commands of these tables.
pub(super) fn take(session: &Session, input: Input, tables: &[&[(&str, Action)]]) {
    let mut fields = match read(input) {
        Ok(fields) => fields,
        Err(why) => {
            let why = format!("Failed to parse command: {why}");
            respond(session, None, "parse", Err(why));
            return session.refused();
        }
    };
    Modern::begin(session);
    session.faults.command(&mut fields);
    if fields["type"] == "extension_ui_response" {
        return dialogs::answered(session, &fields);
    }
    let command = Command { session, fields };
    let kind = command.fields["type"].as_str().unwrap_or("unknown");
    let known = tables
        .iter()
        .copied()
        .flatten()
        .find(|(name, _)| *name == kind);
    let answer = match known {
        Some((_, action)) => action(&command),
        None => Some(Err(format!("Unknown command: {kind}"))),
    };
    if let Some(answer) = answer {
        let refused = answer.is_err();
        respond(session, command.id(), kind, answer);
        if refused {
            session.refused();
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

impl Command<'_> {
    pub(super) fn id(&self) -> Option<&Value> {
        self.fields.get("id").filter(|id| !id.is_null())
    }

    /// A text that must be there.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        let text = self.fields[name].as_str();
        text.ok_or_else(|| format!("{name} must be a string"))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        let flag = self.fields[name].as_bool();
        flag.ok_or_else(|| format!("{name} must be a boolean"))
    }

    fn set_mode(&self, queue: &Queue) -> Answer {
        match self.text("mode")? {
            "all" => queue.together.set(true),
            "one-at-a-time" => queue.together.set(false),
            other => return Err(format!("Unknown mode: {other}")),
        }
        if self.session.faults.plays(Bug::ModesAreOne) {
            let Queues {
                steering,
                following,
            } = &self.session.queues;
            let together = queue.together.get();
            steering.together.set(together);
            following.together.set(together);
        }
        Ok(None)
    }

    /// The prompt that the command holds, its text expanded.
    fn prompt(&self, text: &str) -> Result<Prompt, String> {
        let images = self.fields["images"].as_array();
        let blocks = images.into_iter().flatten().map(image);
        Ok(Prompt {
            turn: self.session.next_turn(),
            text: expand(self.session, text),
            blocks: blocks.collect::<Result<_, _>>()?,
            ..Prompt::default()
        })
    }

    fn queue(&self, command: &str, queue: &Queue) -> Answer {
        let text = self.text("message")?;
        if dialogs::command(self.session, text).is_some() {
            return Err(format!(
                "An extension command cannot be queued by {command}"
            ));
        }
        queue.push(self.prompt(text)?);
        self.session
            .events
            .send_frame(queue_update(&self.session.queues));
        Ok(None)
    }
}

fn image(image: &Value) -> Result<Block, String> {
    let text = |name: &str| image[name].as_str().map(str::to_owned);
    match (text("mimeType"), text("data")) {
        (Some(media_type), Some(data)) => Ok(Block::Image { media_type, data }),
        _ => Err("An image has data and a mimeType".to_owned()),
    }
}

fn prompt(command: &Command<'_>) -> Option<Answer> {
    match begin(command) {
        Ok(()) => None,
        Err(why) => Some(Err(why)),
    }
}

fn begin(command: &Command<'_>) -> Result<(), String> {
    const BUSY: &str = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
    let session = command.session;
    let text = command.text("message")?;
    if let Some(dialogs) = dialogs::command(session, text) {
        dialogs::play(session, command.id().cloned(), dialogs);
        return Ok(());
    }
    let prompt = command.prompt(text)?;
    if session.has_turn() {
        match command.fields["streamingBehavior"].as_str() {
            Some("steer") => session.queues.steering.push(prompt),
            Some("followUp") => session.queues.following.push(prompt),
            _ => return Err(BUSY.to_owned()),
        }
        session.events.send_frame(queue_update(&session.queues));
        respond(session, command.id(), "prompt", Ok(None));
        return Ok(());
    }
    respond(session, command.id(), "prompt", Ok(None));
    model::before_run(session);
    session.prompt(prompt).map_err(|failure| failure.message)
}

fn abort(command: &Command<'_>) -> Option<Answer> {
    let session = command.session;
    if !session.is_busy() {
        session.faults.idle_stop();
        return Some(Ok(None));
    }
    let id = command.id().cloned();
    Modern::of(session, |modern| modern.aborts.push(id));
    session.stop(Halt::Stop);
    None
}

fn compact(command: &Command<'_>) -> Option<Answer> {
    let session = command.session;
    let instructions = command.fields["customInstructions"].as_str();
    let id = command.id().cloned();
    Modern::of(session, |modern| modern.compacts.push(id));
    if session.has_turn() {
        session.stop(Halt::Stop);
    }
    match session.compact(instructions.map(str::to_owned)) {
        Ok(()) => None,
        Err(failure) => {
            Modern::of(session, |modern| modern.compacts.pop());
            Some(Err(failure.message))
        }
    }
}

/// The data of a response.
pub(super) fn data(value: Value) -> Answer {
    Ok(Some(value))
}

/// The data of a response to what extensions could have cancelled.
pub(super) fn cancelled(cancelled: bool) -> Answer {
    data(json!({ "cancelled": cancelled }))
}
