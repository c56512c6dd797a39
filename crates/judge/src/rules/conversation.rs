//! Conversation rules: each request to the model continues the conversation of the session.

use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{Moment, Monitor};
use super::slices::SliceKey;
use super::symbol::SymbolSet;
use crate::conversation::{Check, Conversation};
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
            &frames.attached,
            &frames.undone,
            &frames.forgotten,
        ];
        let said = frames.said.iter().map(|(pattern, _)| pattern);
        let shown = frames.shown.iter().map(|(pattern, ..)| pattern);
        symbols_of(single.into_iter().chain(said).chain(shown))
    }

    /// A monitor.
    pub fn monitor(self: &Arc<Self>) -> Box<dyn Monitor> {
        Box::new(ConversationMonitor {
            rule: Arc::clone(self),
            conversation: Conversation::default(),
        })
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
        for (pattern, pointers) in &frames.said {
            if context.matches(pattern) != Truth::False {
                let places = pointers
                    .iter()
                    .filter_map(|place| context.value.pointer(place));
                places.for_each(|value| note_texts(value, conversation));
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
            at.out.extend(departure.map(|message| Finding {
                message,
                difference: Difference::named(DifferenceKind::WrongValue, "@request"),
                ..Finding::default()
            }));
        }
    }

    fn exercised(&self) -> u64 {
        self.conversation.exercised()
    }
}

fn note_texts(value: &Value, conversation: &mut Conversation) {
    match value {
        Value::String(text) => conversation.note_said(text),
        Value::Array(list) => list.iter().for_each(|one| note_texts(one, conversation)),
        Value::Object(map) => map.values().for_each(|one| note_texts(one, conversation)),
        _ => {}
    }
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
