//! The frames of the host: what the agent gets of them, and what it sends before.

use super::{FaultPlayer, Output, Received};
use crate::fault::{Effect, EventFault};
use crate::line::line;
use crate::open_calls::{FrameNaming, text_at};
use crate::operation::Operation;
use crate::selector::FrameSelector;
use serde_json::Value;

impl FaultPlayer {
    /// Changes a command before the agent gets it.
    pub fn command(&mut self, command: &mut Value) -> Received {
        let mut received = Received::default();
        let name = match &self.naming {
            FrameNaming::Pointers(at) => text_at(command, &at.commands),
            FrameNaming::JsonRpc { .. } => {
                let known = self.calls.of_host(command);
                if let (Some(own), Some(id)) = (known.own_id, command.get_mut("id")) {
                    *id = own;
                    received.is_changed = true;
                }
                received.is_dropped = known.is_of_inserted;
                self.memory.references.request = known.message.request;
                known.message.name
            }
        };
        self.note_turn(&name, command, true);
        if let Some(part) = self.command_part(&name, command) {
            match &part.operation {
                Operation::Edit(edits) => received.is_changed |= self.edit(command, edits),
                operation => {
                    self.note_played();
                    received.is_dropped |= !matches!(operation, Operation::Reply(_));
                    if let Operation::Reply(frames) | Operation::Instead(frames) = operation {
                        received.replies = self.others(frames, command, None);
                    }
                }
            }
        }
        self.memory.references.note(&name, command, true);
        if !received.is_dropped && matches!(self.naming, FrameNaming::JsonRpc { .. }) {
            self.calls.asked_by_host(command);
        }
        let nested = self.nested_name(&name, command).unwrap_or_default();
        let names = [format!(">{name}"), format!(">{nested}")];
        let names = names.each_ref().map(String::as_str);
        for before in [true, false] {
            let mut released = self.released(names, before);
            received.replies.append(&mut released);
        }
        let replies = std::mem::take(&mut received.replies);
        received.replies = self.counted(replies);
        received
    }

    /// The part of the fault that is played on this command now.
    fn command_part(&mut self, name: &str, command: &Value) -> Option<EventFault> {
        let Some(Effect::Commands(part)) = self.effect() else {
            return None;
        };
        let is_due = part.every || self.matched.is_empty();
        if !is_due || !part.on.matches(name, command) || !self.resolves(part) {
            return None;
        }
        let part = part.clone();
        self.matched.insert(0);
        Some(part)
    }

    /// What the agent gets in place of the line of a command, with its newline, and what it sends before. Nothing is changed in a line that
    /// is not a JSON object.
    pub fn command_line(&mut self, bytes: &[u8]) -> (Option<Vec<u8>>, Vec<Output>) {
        let concerns = |turn: &FrameSelector| turn.is_of_commands();
        let is_read = matches!(self.naming, FrameNaming::JsonRpc { .. })
            || matches!(
                self.fault.as_ref().map(|fault| &fault.effect),
                Some(Effect::Commands(_))
            )
            || self.begins_turn.iter().any(concerns)
            || !self.held.is_empty();
        let read = is_read.then(|| json_matcher::read_json(bytes));
        let Some(Ok(mut command)) = read else {
            return (Some(bytes.to_vec()), Vec::new());
        };
        let received = self.command(&mut command);
        let passed = match (received.is_dropped, received.is_changed) {
            (true, _) => None,
            (false, true) => Some(line(&command)),
            (false, false) => Some(bytes.to_vec()),
        };
        (passed, received.replies)
    }
}
