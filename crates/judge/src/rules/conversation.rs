//! Conversation rules: each request to the model continues the conversation of the session, and the host receives its answers.

use super::eval_context::EvalContext;
use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{Moment, Monitor};
use super::slices::SliceKey;
use super::symbol::SymbolSet;
use crate::conversation::{Check, Compared, Conversation, Told};
use crate::finding::{Difference, DifferenceKind, Finding};
use frame_language::{Pointer, Truth};
use serde_json::Value;
use std::sync::Arc;

/// The part of a frame in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A command with texts for the model at these places.
    Said(Vec<Pointer>),
    /// An event with the result of a tool: the places of the call's id and of the text.
    Shown(Pointer, Pointer),
    /// An event with texts of the model at these places.
    Told(Vec<Pointer>),
    /// A command that brings attachments.
    Attached,
    /// After this frame the newest turn may be missing.
    Undone,
    /// After this frame it is unknown what the model must see.
    Forgotten,
    /// An answer of the model.
    Reply,
    /// A request to the model.
    Request,
    /// An event with a call of the model: the places of its id and of its arguments.
    Called(Pointer, Pointer),
    /// An event before which the host has received all texts of a turn.
    Ended,
}

/// The frames of a dialect that are parts of a conversation. A frame that is several of them is each of them in this order.
pub type ConversationParts = Vec<(FramePattern, Part)>;

/// The conversation of a session, which all conversation rules of a dialect share.
#[derive(Debug, Clone, Default)]
pub struct ConversationState {
    conversation: Conversation,
    told: Told,
    /// The result of the comparison at the newest frame that is a part of the conversation.
    compared: Vec<Compared>,
}

impl ConversationState {
    /// Notes a frame, given the parts that it can be by its symbols. `checks` are those that rules need.
    pub fn note<'p>(
        &mut self,
        parts: impl Iterator<Item = &'p (FramePattern, Part)>,
        checks: &[Check],
        eval: &EvalContext<'_>,
    ) {
        self.compared.clear();
        for (pattern, part) in parts {
            match pattern.matches(eval) {
                Truth::False => {}
                matches => self.note_part(part, matches == Truth::True, checks, eval.value),
            }
        }
    }

    fn note_part(&mut self, part: &Part, is_certain: bool, checks: &[Check], frame: &Value) {
        let (conversation, told) = (&mut self.conversation, &mut self.told);
        let n = || frame["n"].as_u64().unwrap_or_default();
        match part {
            Part::Said(places) => {
                each_text(frame, places, &mut |text| conversation.note_said(text));
            }
            Part::Attached => conversation.note_attachments(),
            Part::Undone => {
                conversation.undo_turn();
                told.undo_turn();
            }
            Part::Forgotten => conversation.forget(),
            Part::Request => {
                told.note_request();
                let compared = conversation.on_request(checks, n(), &frame["body"]);
                self.compared.extend(compared);
            }
            Part::Reply => {
                conversation.note_answer(n(), &frame["message"]);
                if is_certain {
                    self.compared.push(told.note_answer(&frame["message"]));
                }
            }
            _ if !is_certain => {}
            Part::Shown(call, text) => {
                let call = call.find(frame).and_then(Value::as_str);
                if let (Some(call), Some(text)) = (call, text.find(frame)) {
                    conversation.note_shown(call, shown_text(text));
                }
            }
            Part::Told(places) => each_text(frame, places, &mut |text| told.note_text(text)),
            Part::Called(id, input) => {
                let id = id.find(frame).and_then(Value::as_str);
                if let (Some(id), Some(input)) = (id, input.find(frame)) {
                    self.compared.push(told.note_call(id, input));
                }
            }
            Part::Ended => self.compared.push(told.end_turn()),
        }
    }
}

/// A conversation rule.
#[derive(Debug, Clone)]
pub struct ConversationRule {
    /// What it asks.
    pub check: Check,
    /// The frames at which there may be something to compare.
    pub on: FramePattern,
}

impl ConversationRule {
    /// A rule over the frames of a conversation.
    pub fn new(check: Check, parts: &ConversationParts) -> Self {
        let compares = |part: &Part| match check {
            Check::Told | Check::Called => {
                matches!(part, Part::Reply | Part::Called(..) | Part::Ended)
            }
            _ => *part == Part::Request,
        };
        let patterns = parts.iter().filter(|(_, part)| compares(part));
        let atoms = patterns.flat_map(|(pattern, _)| pattern.atoms()).cloned();
        ConversationRule {
            check,
            on: FramePattern::new(atoms.collect()),
        }
    }

    /// The alphabet: the symbols of the frames that matter.
    pub fn symbols(&self) -> SymbolSet {
        symbols_of([&self.on])
    }

    /// A monitor.
    pub fn monitor(self: &Arc<Self>) -> Box<dyn Monitor> {
        let check = self.check;
        Box::new(ConversationMonitor {
            check,
            exercised: 0,
        })
    }
}

#[derive(Clone)]
struct ConversationMonitor {
    check: Check,
    exercised: u64,
}

impl Monitor for ConversationMonitor {
    fn on_frame(&mut self, _: Option<&SliceKey>, at: &mut Moment<'_>) {
        let context = at.context;
        let compared = context.history.conversation.compared.iter();
        // If one of the two rules about what the host receives applies, the other does too.
        let is_told = |check| matches!(check, Check::Told | Check::Called);
        let applies =
            |one: &&Compared| one.check == self.check || is_told(one.check) && is_told(self.check);
        let compared = compared.filter(applies);
        let mut departure = None;
        for one in compared {
            self.exercised += one.times;
            if one.check == self.check {
                departure = departure.or(one.departure.as_ref());
            }
        }
        if let Some(message) = departure
            && context.certainly_holds(at.config.when.as_ref())
        {
            let name = match self.check {
                Check::Told => "text",
                Check::Called => "call",
                _ => "@request",
            };
            at.out.push(Finding {
                message: message.clone(),
                difference: Difference::named(DifferenceKind::WrongValue, name),
                ..Finding::default()
            });
        }
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}

/// Calls a function with each text at these places; all texts in a list or a map count.
fn each_text(frame: &Value, places: &[Pointer], note: &mut impl FnMut(&str)) {
    fn of_value(value: &Value, note: &mut impl FnMut(&str)) {
        match value {
            Value::String(text) => note(text),
            Value::Array(list) => list.iter().for_each(|one| of_value(one, note)),
            Value::Object(map) => map.values().for_each(|one| of_value(one, note)),
            _ => {}
        }
    }
    let values = places.iter().filter_map(|place| place.find(frame));
    values.for_each(|value| of_value(value, note));
}

/// The text of a result: a text, or a list of parts with a `text` each.
fn shown_text(value: &Value) -> String {
    match value {
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}
