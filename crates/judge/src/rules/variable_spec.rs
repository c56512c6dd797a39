//! State variables as `ordering.yaml` declares them: what they hold, and which frames change them.

use super::frame_pattern::FramePattern;
use conform_dialect::ordering::state::VariableKind;
use frame_language::Operand;
use serde_json::Value;

/// How a frame changes a variable: with the operands as declared, or with their values.
#[derive(Debug, Clone)]
pub enum Change<T> {
    /// Back to nothing.
    Clear,
    /// Becomes this value.
    Set(T),
    /// Gains this element.
    Add(T),
    /// Loses this element or key.
    Remove(T),
    /// Holds this value under this key.
    Put(T, T),
    /// Gains this element at the end.
    Append(T),
    /// Loses its first element like this one.
    Take(T),
    /// The text under this key gains this text at the end.
    Concat(T, T),
    /// One more.
    Increment,
}

impl Change<Operand> {
    /// The change with the values of its operands, if all have one.
    pub(super) fn with_values(
        &self,
        value: impl Fn(&Operand) -> Option<Value>,
    ) -> Option<Change<Value>> {
        Some(match self {
            Change::Clear => Change::Clear,
            Change::Increment => Change::Increment,
            Change::Set(one) => Change::Set(value(one)?),
            Change::Add(one) => Change::Add(value(one)?),
            Change::Remove(one) => Change::Remove(value(one)?),
            Change::Append(one) => Change::Append(value(one)?),
            Change::Take(one) => Change::Take(value(one)?),
            Change::Put(key, one) => Change::Put(value(key)?, value(one)?),
            Change::Concat(key, one) => Change::Concat(value(key)?, value(one)?),
        })
    }
}

/// A change, and when it happens.
#[derive(Debug, Clone)]
pub struct DeclaredChange {
    /// The frames that make it.
    pub on: FramePattern,
    /// The change.
    pub change: Change<Operand>,
    /// The list in the frame for whose elements it is made, one by one; `None` if it is made once.
    pub for_each: Option<Operand>,
}

impl DeclaredChange {
    /// A change that is made once at each of these frames.
    pub(super) fn at(on: FramePattern, change: Change<Operand>) -> Self {
        DeclaredChange {
            on,
            change,
            for_each: None,
        }
    }

    /// Back to nothing at these frames.
    pub(super) fn clear(on: FramePattern) -> Self {
        DeclaredChange::at(on, Change::Clear)
    }
}

/// A variable as declared.
#[derive(Debug, Clone)]
pub struct VariableSpec {
    /// Its name.
    pub name: String,
    /// The kind of its content.
    pub kind: VariableKind,
    /// Its value at the start; nothing if `None`.
    pub start: Option<Value>,
    /// Flags of the agent's command line that replace the start: the flag, and the value (`None`: the word after the flag).
    pub argv: Vec<(String, Option<Value>)>,
    /// Its changes, in order.
    pub changes: Vec<DeclaredChange>,
    /// Frames that make the changes of the commands that were taken certain; `None` if all changes are immediate.
    pub acknowledged_by: Option<FramePattern>,
    /// Whether commands change it.
    pub from_commands: bool,
}
