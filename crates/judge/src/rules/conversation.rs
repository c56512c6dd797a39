//! Conversation rules: each request to the model continues the conversation of the session, and the host is told of its answers.

use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{Moment, Monitor};
use super::slices::SliceKey;
use super::symbol::SymbolSet;
use crate::conversation::{Check, Conversation, Told};
use crate::finding::{Difference, DifferenceKind, Finding};
use frame_language::Truth;
use serde_json::Value;
use std::sync::Arc;

/// How the frames of a dialect become a conversation.
#[derive(Debug, Clone, Default)]
pub struct ConversationFrames {
    /// Requests to the model.
    pub request: FramePattern,
    /// Answers of the model.
    pub reply: FramePattern,
    /// Commands with texts for the model, and the JSON Pointers to these texts.
    pub said: Vec<(FramePattern, Vec<String>)>,
    /// Events with the result of a tool, and the JSON Pointers to the id of the call and to the text.
    pub shown: Vec<(FramePattern, String, String)>,
    /// Events with texts of the model, and the JSON Pointers to these texts.
    pub told: Vec<(FramePattern, Vec<String>)>,
    /// Events with a call of the model, and the JSON Pointers to its id and to its arguments.
    pub called: Vec<(FramePattern, String, String)>,
    /// Events before which all texts of a turn are told.
    pub ended: FramePattern,
    /// Commands that bring attachments.
    pub attached: FramePattern,
    /// Frames after which the newest turn may be missing.
    pub undone: FramePattern,
    /// Frames after which it is unknown what the model must see.
    pub forgotten: FramePattern,
}

/// A conversation rule.
#[derive(Debug, Clone)]
pub struct ConversationRule {
    /// What it asks.
    pub check: Check,
    /// The frames.
    pub frames: Arc<ConversationFrames>,
}

impl ConversationRule {
    /// The alphabet: the symbols of the frames that matter.
    pub fn symbols(&self) -> SymbolSet {
        let frames = &*self.frames;
        let single = [
            &frames.request,
            &frames.reply,
            &frames.ended,
            &frames.attached,
            &frames.undone,
            &frames.forgotten,
        ];
        let texts = frames.said.iter().chain(&frames.told);
        let texts = texts.map(|(pattern, _)| pattern);
        let calls = frames.shown.iter().chain(&frames.called);
        let calls = calls.map(|(pattern, ..)| pattern);
        symbols_of(single.into_iter().chain(texts).chain(calls))
    }

    /// A monitor.
    pub fn monitor(self: &Arc<Self>) -> Box<dyn Monitor> {
        let rule = Arc::clone(self);
        match self.check {
            Check::Told | Check::Called => Box::new(ToldMonitor {
                rule,
                told: Told::default(),
            }),
            _ => Box::new(ConversationMonitor {
                rule,
                conversation: Conversation::default(),
            }),
        }
    }
}

#[derive(Clone)]
struct ConversationMonitor {
    rule: Arc<ConversationRule>,
    conversation: Conversation,
}

impl Monitor for ConversationMonitor {
    fn on_frame(&mut self, _: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (frames, context) = (&self.rule.frames, at.context);
        let conversation = &mut self.conversation;
        for (pattern, places) in &frames.said {
            if context.matches(pattern) != Truth::False {
                let note = &mut |text: &str| conversation.note_said(text);
                each_text(context.value, places, note);
            }
        }
        for (pattern, call, text) in &frames.shown {
            let call = context.value.pointer(call).and_then(Value::as_str);
            let text = context.value.pointer(text).map(shown_text);
            if let (Truth::True, Some(call), Some(text)) = (context.matches(pattern), call, text) {
                conversation.note_shown(call, text);
            }
        }
        if context.matches(&frames.attached) != Truth::False {
            conversation.note_attachments();
        }
        if context.matches(&frames.undone) != Truth::False {
            conversation.undo_turn();
        }
        if context.matches(&frames.forgotten) != Truth::False {
            conversation.forget();
        }
        let n = context.value["n"].as_u64().unwrap_or_default();
        if context.matches(&frames.reply) != Truth::False {
            conversation.note_answer(n, &context.value["message"]);
        }
        if context.matches(&frames.request) == Truth::False {
            return;
        }
        let departure = conversation.on_request(self.rule.check, n, &context.value["body"]);
        if context.certainly_holds(at.config.when.as_ref()) {
            at.out
                .extend(departure.map(|message| finding(message, "@request")));
        }
    }

    fn exercised(&self) -> u64 {
        self.conversation.exercised()
    }
}

/// Sees what the host is told of the model's answers.
#[derive(Clone)]
struct ToldMonitor {
    rule: Arc<ConversationRule>,
    told: Told,
}

impl Monitor for ToldMonitor {
    fn on_frame(&mut self, _: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (frames, context, told) = (&self.rule.frames, at.context, &mut self.told);
        let is = |pattern| context.matches(pattern) == Truth::True;
        for (_, places) in frames.told.iter().filter(|(pattern, _)| is(pattern)) {
            each_text(context.value, places, &mut |text| told.note_text(text));
        }
        if context.matches(&frames.undone) != Truth::False {
            told.undo_turn();
        }
        if is(&frames.request) {
            told.note_request();
        }
        let (mut of_calls, mut of_texts) = (None, None);
        if is(&frames.reply) {
            of_calls = told.note_answer(&context.value["message"]);
        }
        for (_, id, input) in frames.called.iter().filter(|(pattern, ..)| is(pattern)) {
            let id = context.value.pointer(id).and_then(Value::as_str);
            if let (Some(id), Some(input)) = (id, context.value.pointer(input)) {
                of_calls = of_calls.or(told.note_call(id, input));
            }
        }
        if is(&frames.ended) {
            of_texts = told.end_turn();
        }
        let departure = match self.rule.check {
            Check::Called => of_calls.map(|message| finding(message, "call")),
            _ => of_texts.map(|message| finding(message, "text")),
        };
        if context.certainly_holds(at.config.when.as_ref()) {
            at.out.extend(departure);
        }
    }

    fn exercised(&self) -> u64 {
        self.told.exercised()
    }
}

fn finding(message: String, name: &str) -> Finding {
    Finding {
        message,
        difference: Difference::named(DifferenceKind::WrongValue, name),
        ..Finding::default()
    }
}

/// Calls a function with each text at these places; all texts in a list or a map count.
fn each_text(value: &Value, places: &[String], note: &mut impl FnMut(&str)) {
    fn of_value(value: &Value, note: &mut impl FnMut(&str)) {
        match value {
            Value::String(text) => note(text),
            Value::Array(list) => list.iter().for_each(|one| of_value(one, note)),
            Value::Object(map) => map.values().for_each(|one| of_value(one, note)),
            _ => {}
        }
    }
    let values = places.iter().filter_map(|place| value.pointer(place));
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
