//! Commands that 0.73 has not.

use super::super::commands::{Action, Command, data};
use super::super::events::queue_update;
use super::super::model::reasons;
use super::super::responses::Answer;
use super::super::state::Modern;
use super::Ledger;
use super::levels::levels;
use serde_json::json;

pub(super) const COMMANDS: &[(&str, Action)] = &[
    ("clear_queue", |c| Some(clear(c))),
    ("get_available_thinking_levels", |c| Some(available(c))),
    ("get_entries", |c| Some(entries(c))),
    ("get_tree", |c| Some(tree(c))),
];

fn clear(command: &Command<'_>) -> Answer {
    let queues = &command.session.queues;
    let taken =
        json!({ "steering": queues.steering.texts(), "followUp": queues.following.texts() });
    if queues.len() > 0 {
        queues.clear();
        command.session.events.send_frame(queue_update(queues));
    }
    data(taken)
}

fn available(command: &Command<'_>) -> Answer {
    let thinks = reasons(command.session);
    let levels = levels(thinks);
    data(json!({ "levels": levels }))
}

fn ledger(command: &Command<'_>) -> Ledger {
    let ledger = Modern::of(command.session, |modern| {
        modern.later.as_ref().map(|later| later.ledger.clone())
    });
    ledger.flatten().unwrap_or_default()
}

fn entries(command: &Command<'_>) -> Answer {
    let ledger = ledger(command);
    let entries = ledger.since(command.fields["since"].as_str())?;
    data(json!({ "entries": entries, "leafId": ledger.leaf() }))
}

fn tree(command: &Command<'_>) -> Answer {
    let ledger = ledger(command);
    data(json!({ "tree": ledger.tree(), "leafId": ledger.leaf() }))
}
