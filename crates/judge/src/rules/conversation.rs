//! Conversation rules: each request to the model continues the conversation of the session, and the host receives its answers.

use super::eval_context::EvalContext;
use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{Moment, Monitor};
use super::slices::SliceKey;
use super::symbol::SymbolSet;
use crate::conversation::{Apart, Calls, Check, Compared, Conversation, Reported, Turns};
use crate::finding::{Difference, DifferenceKind, Finding};
use frame_language::{Pointer, Truth};
use serde_json::Value;
use std::sync::Arc;

/// The part of a frame in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A command with texts for the model at these places; the place of the id of its conversation.
    Said(Vec<Pointer>, Option<Pointer>),
    /// An event with texts of a conversation again, at these places; the place of its id.
    Replayed(Vec<Pointer>, Option<Pointer>),
    /// A frame at which a conversation begins; the place of its id.
    Begun(Option<Pointer>),
    /// A frame after which a conversation may hold what others do; the place of its id.
    Joined(Option<Pointer>),
    /// An event with the result of a tool: the places of the call's id and of the text.
    Shown(Pointer, Pointer),
    /// An event with texts of the model at these places.
    Told(Vec<Pointer>),
    /// An event with thinking of the model at these places.
    Thought(Vec<Pointer>),
    /// An event with the usage of a turn.
    Used(UsagePlaces),
    /// A command that brings attachments.
    Attached,
    /// After this frame the newest turn may be missing.
    Undone,
    /// After this frame the turn that is open may be missing.
    Stopped,
    /// After this frame it is unknown what the model must see.
    Forgotten,
    /// A line of the agent that cannot be read, and may have been a text of the model.
    Unreadable,
    /// An answer of the model.
    Reply,
    /// A request to the model.
    Request,
    /// An event with a call of the model: the places of its id and of its arguments.
    Called(Pointer, Pointer),
    /// An event before which the host has received all texts of a turn.
    Ended,
}

/// Where an event has the usage of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct UsagePlaces {
    /// The place of the input tokens.
    pub input: Pointer,
    /// The place of the output tokens.
    pub output: Pointer,
    /// Whether they may be those of the session so far.
    pub may_be_of_session: bool,
}

/// The frames of a dialect that are parts of a conversation. A frame that is several of them is each of them in this order.
pub type ConversationParts = Vec<(FramePattern, Part)>;

/// The conversation of a session, which all conversation rules of a dialect share.
#[derive(Debug, Clone, Default)]
pub struct ConversationState {
    conversation: Conversation,
    turns: Turns,
    calls: Calls,
    apart: Apart,
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
        let mut is_forgotten = false;
        for (pattern, part) in parts {
            let is_certain = match pattern.matches(eval) {
                Truth::False => continue,
                matches => matches == Truth::True,
            };
            is_forgotten |= *part == Part::Forgotten;
            match part {
                // A request that is itself one of these frames is outside of the conversation.
                Part::Request if is_forgotten => {
                    self.turns.note_request(number(eval.value), false);
                    self.calls.note_request();
                }
                part => self.note_part(part, is_certain, checks, eval.value),
            }
        }
    }

    fn note_part(&mut self, part: &Part, is_certain: bool, checks: &[Check], frame: &Value) {
        let (conversation, turns) = (&mut self.conversation, &mut self.turns);
        let apart = checks.contains(&Check::Apart).then_some(&mut self.apart);
        let n = number(frame);
        let text_at = |place: &Option<Pointer>| place.as_ref()?.find(frame)?.as_str();
        match part {
            Part::Said(places, id) => {
                each_text(frame, places, &mut |text| conversation.note_said(text));
                turns.note_said();
                if let Some(apart) = apart {
                    let mut texts = Vec::new();
                    each_text(frame, places, &mut |text| texts.push(text.to_owned()));
                    apart.note_said(text_at(id), texts);
                }
            }
            Part::Attached => conversation.note_attachments(),
            // Between turns nothing of a turn is lost.
            Part::Stopped | Part::Unreadable if !turns.is_open() => {}
            Part::Undone | Part::Stopped => {
                conversation.undo_turn();
                turns.undo_turn();
                turns.is_stopped |= *part == Part::Stopped;
            }
            Part::Unreadable => turns.undo_turn(),
            Part::Forgotten => conversation.forget(),
            Part::Request => {
                let compared = conversation.on_request(checks, n, &frame["body"]);
                self.compared.extend(compared);
                if turns.is_stopped {
                    conversation.undo_turn();
                }
                turns.note_request(n, conversation.is_continued_by(n));
                self.calls.note_request();
                let apart = apart.and_then(|apart| apart.on_request(n, conversation));
                self.compared.extend(apart);
            }
            Part::Reply => {
                let message = &frame["message"];
                if let Some(apart) = apart {
                    apart.note_answer(n, message);
                }
                conversation.note_answer(n, message);
                let is_success = frame["status"].as_u64() < Some(FIRST_ERROR);
                self.compared
                    .extend(turns.note_answer(n, message, is_success));
                self.compared.push(self.calls.note_answer(message));
            }
            Part::Joined(id) => {
                if let Some(apart) = apart {
                    apart.join(text_at(id));
                }
            }
            _ if !is_certain => {}
            Part::Begun(id) => {
                if let Some(apart) = apart {
                    apart.begin(text_at(id));
                }
            }
            Part::Replayed(places, id) => {
                if let Some(apart) = apart {
                    each_text(frame, places, &mut |text| {
                        apart.note_replayed(text_at(id), text);
                    });
                }
            }
            Part::Shown(call, text) => {
                let call = call.find(frame).and_then(Value::as_str);
                if let (Some(call), Some(text)) = (call, text.find(frame)) {
                    conversation.note_shown(call, shown_text(text));
                }
            }
            Part::Told(places) => each_text(frame, places, &mut |text| turns.note_text(text)),
            Part::Thought(places) => {
                each_text(frame, places, &mut |text| turns.note_thought(text));
            }
            Part::Used(places) => {
                let count = |place: &Pointer| place.find(frame).and_then(Value::as_u64);
                if let (Some(input), Some(output)) = (count(&places.input), count(&places.output)) {
                    turns.note_usage(Reported {
                        input,
                        output,
                        may_be_of_session: places.may_be_of_session,
                    });
                }
            }
            Part::Called(id, input) => {
                let id = id.find(frame).and_then(Value::as_str);
                if let (Some(id), Some(input)) = (id, input.find(frame)) {
                    self.compared.push(self.calls.note_call(id, input));
                }
            }
            Part::Ended => {
                conversation.end_turn();
                self.compared.extend(turns.end());
            }
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
            Check::Told | Check::Thought | Check::Called | Check::Used => {
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
                Check::Thought => "thinking",
                Check::Called => "call",
                Check::Used => "usage",
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

/// The number of a request, in its frame and in that of its reply.
fn number(frame: &Value) -> u64 {
    frame["n"].as_u64().unwrap_or_default()
}

/// The lowest HTTP status that is not a success.
const FIRST_ERROR: u64 = 400;

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
