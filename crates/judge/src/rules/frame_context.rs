//! The frame context: one frame as rules see it, with the history state before it.

use super::eval_context::{EvalContext, Known};
use super::frame_pattern::FramePattern;
use super::history_state::HistoryState;
use super::slices::SliceKey;
use super::symbol::FrameSymbols;
use crate::finding::Blame;
use frame_language::{Condition, Operand, Truth};
use serde_json::Value;

/// A frame, and the history state before it.
#[derive(Clone, Copy)]
pub struct FrameContext<'a> {
    /// The frame's number, from 1.
    pub n: u64,
    /// Microseconds since the spawn.
    pub at: u64,
    /// Who is to blame if this frame breaks a rule.
    pub blame: Blame,
    /// Its symbols.
    pub symbols: &'a FrameSymbols,
    /// Its JSON; for a frame that is not a line, an object that describes it.
    pub value: &'a Value,
    /// The state before it.
    pub history: &'a HistoryState,
    /// Whose turn it is, after it.
    pub turn: Turn,
}

/// Whose turn it is, where both sides ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether the agent waits for the host: the host has not answered a request of the agent.
    pub is_of_host: bool,
    /// When the host last answered such a request, in microseconds since the spawn.
    pub since: u64,
    /// The side that asked, if the frame is a request or its response.
    pub asker: Option<Blame>,
}

impl<'a> FrameContext<'a> {
    /// The context for conditions on this frame.
    #[inline]
    pub fn eval_context(&self) -> EvalContext<'a> {
        Known::context(self.symbols, self.at, self.value, &self.history.variables)
    }

    /// Whether the frame matches.
    #[inline]
    pub fn matches(&self, pattern: &FramePattern) -> Truth {
        if pattern.can_match(self.symbols) {
            pattern.matches(&self.eval_context())
        } else {
            Truth::False
        }
    }

    /// Whether a condition certainly holds; no condition always holds.
    pub fn certainly_holds(&self, condition: Option<&Condition>) -> bool {
        condition.is_none_or(|c| self.eval_context().holds(c) == Truth::True)
    }

    /// Whether the agent has to go on by itself: it does not wait for the host, and the condition of the rule certainly holds.
    pub fn agent_has_to_go_on(&self, condition: Option<&Condition>) -> bool {
        !self.turn.is_of_host && self.certainly_holds(condition)
    }

    /// The name of the frame, for messages.
    pub fn frame_name(&self) -> String {
        let names = self.symbols.iter().map(|id| self.history.symbols.name(id));
        let mut names: Vec<_> = names.collect();
        names.sort_by_key(|n| n.starts_with(['#', '@']) || n.starts_with(">#"));
        let longest_kind = names
            .iter()
            .filter(|n| n.contains('.'))
            .max_by_key(|n| n.len());
        longest_kind
            .or(names.first())
            .map_or("frame", |v| v)
            .to_owned()
    }

    /// The label of a value in a slice's key. The two sides number their requests independently.
    fn label<'l>(&self, label: &'l str) -> &'l str {
        match (label, self.turn.asker) {
            ("id", Some(Blame::Agent)) => "the agent's id",
            _ => label,
        }
    }

    /// Writes the text of the key of the slice that this frame belongs to. `None` if the frame belongs to none.
    pub fn write_slice_key(&self, each: &[KeyPart], text: &mut String) -> Option<()> {
        text.clear();
        for part in each {
            part.0.iter().find_map(|s| self.key_source(s, text))?;
        }
        Some(())
    }

    fn key_source(&self, source: &KeySource, text: &mut String) -> Option<()> {
        match source {
            KeySource::Scope(scope) => {
                let state = &self.history.scopes[*scope];
                let scope = &self.history.scope_names[*scope];
                let instance = || state.instance.to_string();
                state
                    .open
                    .then(|| SliceKey::write(text, scope, &instance()))
            }
            KeySource::Operand(label, operand) => {
                let value = self.eval_context().value(operand)?;
                match &*value {
                    Value::String(value) if value.is_empty() => return None,
                    Value::Null => return None,
                    Value::Array(items) if items.is_empty() => return None,
                    Value::String(value) => SliceKey::write(text, self.label(label), value),
                    other => SliceKey::write_json(text, self.label(label), other),
                }
                Some(())
            }
        }
    }
}

/// A part of a rule's message.
#[derive(Debug, Clone)]
pub enum MessagePart {
    /// As it is.
    Text(String),
    /// The value of an operand.
    Value(Operand),
}

/// One part of a slice's key: the first source that gives a value.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPart(pub Vec<KeySource>);

/// The source of a part of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum KeySource {
    /// The open instance of a scope.
    Scope(usize),
    /// A value, with the label in front of it.
    Operand(String, Operand),
}

/// A message with its placeholders, such as `{/pointer}` and `{$state}`, filled in. An operand without a value, or without a certain one,
/// is `?`.
pub fn fill_message(template: &[MessagePart], eval: &EvalContext<'_>) -> String {
    let mut text = String::new();
    for piece in template {
        match piece {
            MessagePart::Text(part) => text.push_str(part),
            MessagePart::Value(operand) => match eval.value(operand).as_deref() {
                Some(Value::String(s)) => text.push_str(&shorten(s)),
                Some(other) => text.push_str(&shorten(&other.to_string())),
                None => text.push('?'),
            },
        }
    }
    text
}

fn shorten(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
