//! Queued messages: `steer`, `follow_up`, their modes, `clear_queue` and `queue_update`.

use super::dialogs;
use super::expand::expand;
use super::hooks;
use super::responses::{Answer, PiCommand, data};
use crate::core::queues::Prompt;
use crate::core::queues::{Queue, Queues};
use crate::model::message::ContentBlock;
use serde_json::{Value, json};

/// "queue_update": the messages that wait.
pub(super) fn queue_update(queues: &Queues) -> Value {
    json!({
        "type": "queue_update",
        "steering": queues.steering.texts(),
        "followUp": queues.follow_up.texts(),
    })
}

pub(super) fn steer(command: &PiCommand<'_>) -> Answer {
    enqueue(command, "steer", &command.session.queues.steering)
}

pub(super) fn follow_up(command: &PiCommand<'_>) -> Answer {
    enqueue(command, "follow_up", &command.session.queues.follow_up)
}

fn enqueue(command: &PiCommand<'_>, name: &str, queue: &Queue) -> Answer {
    let session = command.session;
    let text = command.text("message")?;
    if dialogs::extension_command(session, text).is_some() {
        return Err(format!("An extension command cannot be queued by {name}"));
    }
    queue.push(prompt(command, text)?);
    session.events.send_frame(queue_update(&session.queues));
    Ok(None)
}

/// The prompt in a command, with its text expanded.
pub(super) fn prompt(command: &PiCommand<'_>, text: &str) -> Result<Prompt, String> {
    let images = command.fields["images"].as_array();
    let blocks = images.into_iter().flatten().map(image);
    Ok(Prompt {
        turn: command.session.next_turn_id(),
        text: expand(command.session, text),
        blocks: blocks.collect::<Result<_, _>>()?,
        ..Prompt::default()
    })
}

fn image(image: &Value) -> Result<ContentBlock, String> {
    let text = |name: &str| image[name].as_str().map(str::to_owned);
    match (text("mimeType"), text("data")) {
        (Some(media_type), Some(data)) => Ok(ContentBlock::Image { media_type, data }),
        _ => Err("An image has data and a mimeType".to_owned()),
    }
}

pub(super) fn set_mode(command: &PiCommand<'_>, queue: &Queue) -> Answer {
    match command.text("mode")? {
        "all" => queue.together.set(true),
        "one-at-a-time" => queue.together.set(false),
        other => return Err(format!("Unknown mode: {other}")),
    }
    hooks::queue_mode_changed(command.session, queue);
    Ok(None)
}

pub(super) fn clear(command: &PiCommand<'_>) -> Answer {
    let queues = &command.session.queues;
    let cleared =
        json!({ "steering": queues.steering.texts(), "followUp": queues.follow_up.texts() });
    if queues.len() > 0 {
        queues.clear();
        command.session.events.send_frame(queue_update(queues));
    }
    data(cleared)
}
