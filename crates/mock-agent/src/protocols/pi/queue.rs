//! Queued messages: `steer`, `follow_up`, their modes, `clear_queue` and `queue_update`.

use super::expand::expand;
use super::responses::{accepted, data};
use super::{Answer, PiCommand, PiSession, Reply, dialogs};
use crate::core::{Prompt, Queue, Queues};
use crate::faults::Bug;
use crate::model::ContentBlock;
use serde_json::{Value, json};

/// "queue_update": the messages that wait.
pub(super) fn queue_update(queues: &Queues) -> Value {
    update(queues.steering.texts(), queues.follow_up.texts())
}

fn update(steering: Vec<String>, follow_up: Vec<String>) -> Value {
    json!({ "type": "queue_update", "steering": steering, "followUp": follow_up })
}

/// The same when these prompts were taken out of the queues and the model did not get them yet.
pub(super) fn queue_update_before(delivered: &[Prompt], queues: &Queues) -> Value {
    let texts = |is_follow_up: bool, queue: &Queue| {
        let first = delivered
            .iter()
            .filter(|prompt| prompt.is_follow_up == is_follow_up);
        let mut texts: Vec<_> = first.map(|prompt| prompt.text.clone()).collect();
        texts.extend(queue.texts());
        texts
    };
    update(
        texts(false, &queues.steering),
        texts(true, &queues.follow_up),
    )
}

pub(super) fn enqueue(command: &PiCommand<'_>, is_follow_up: bool) -> Answer {
    let text = command.text("message")?;
    if dialogs::extension_command(command.session, text).is_some() {
        let name = &command.fields["type"].as_str().unwrap_or_default();
        return Err(format!("An extension command cannot be queued by {name}"));
    }
    if command.session.state().script.consumes(text) {
        return accepted(command.session, "handled");
    }
    push(command.session, prompt(command, text)?, is_follow_up);
    accepted(command.session, "queued")
}

pub(super) fn push(session: PiSession<'_>, prompt: Prompt, is_follow_up: bool) {
    let queue = if is_follow_up {
        &session.queues.follow_up
    } else {
        &session.queues.steering
    };
    queue.push(Prompt {
        is_follow_up,
        ..prompt
    });
    session.send(queue_update(&session.queues));
}

/// The prompt in a command, with its text expanded.
pub(super) fn prompt(command: &PiCommand<'_>, text: &str) -> Result<Prompt, String> {
    let images = command.fields["images"].as_array();
    let blocks = images.into_iter().flatten().map(image_block);
    Ok(Prompt {
        turn: command.session.next_turn_id(),
        text: expand(&command.session, text),
        blocks: blocks.collect::<Result<_, _>>()?,
        ..Prompt::default()
    })
}

/// The image of a prompt, as the model gets it.
pub(super) fn image_block(image: &Value) -> Result<ContentBlock, String> {
    let text = |name: &str| image[name].as_str().map(str::to_owned);
    match (text("mimeType"), text("data")) {
        (Some(media_type), Some(data)) => Ok(ContentBlock::Image { media_type, data }),
        _ => Err("An image has data and a mimeType".to_owned()),
    }
}

pub(super) fn set_mode(command: &PiCommand<'_>, queue: &Queue) -> Answer {
    let together = match command.text("mode")? {
        "all" => true,
        "one-at-a-time" => false,
        other => return Err(format!("Unknown mode: {other}")),
    };
    queue.together.set(together);
    if command.session.faults.triggers(Bug::QueuesShareMode) {
        let queues = &command.session.queues;
        queues.steering.together.set(together);
        queues.follow_up.together.set(together);
    }
    Ok(Reply::Done)
}

pub(super) fn clear(command: &PiCommand<'_>) -> Answer {
    let queues = &command.session.queues;
    let (steering, follow_up) = (queues.steering.texts(), queues.follow_up.texts());
    if queues.len() > 0 {
        queues.clear();
        command.session.send(queue_update(queues));
    }
    data(json!({ "steering": steering, "followUp": follow_up }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_model_did_not_get_yet_still_waits() {
        let prompt = |text: &str, is_follow_up| Prompt {
            text: text.to_owned(),
            is_follow_up,
            ..Prompt::default()
        };
        let queues = Queues::default();
        queues.follow_up.push(prompt("c", true));

        let second = queue_update_before(&[prompt("b", true)], &queues);
        assert_eq!(second["followUp"], json!(["b", "c"]));
        assert_eq!(second["steering"], json!([]));
        assert_eq!(queue_update_before(&[], &queues), queue_update(&queues));
    }
}
