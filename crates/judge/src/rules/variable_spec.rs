//! State variables as `ordering.yaml` declares them: what they hold, and which frames change them.

use super::condition::Operand;
use super::frame_pattern::FramePattern;
use conform_dialect::ordering::state::VariableKind;
use serde_json::Value;

/// How a frame changes a variable.
#[derive(Debug, Clone)]
pub enum Change {
    /// Back to nothing.
    Clear,
    /// Becomes this value.
    Set(Operand),
    /// Gains this element.
    Add(Operand),
    /// Loses this element or key.
    Remove(Operand),
    /// Holds this value under this key.
    Put(Operand, Operand),
    /// Gains this element at the end.
    Append(Operand),
    /// Loses its first element like this one.
    Take(Operand),
    /// The text under this key gains this text at the end.
    Concat(Operand, Operand),
    /// One more.
    Increment,
}

/// A change, and when it happens.
#[derive(Debug, Clone)]
pub struct DeclaredChange {
    /// The frames that make it.
    pub on: FramePattern,
    /// The change.
    pub change: Change,
    /// The list in the frame for whose elements it is made, one by one; `None` if it is made once.
    pub for_each: Option<Operand>,
}

/// A variable as declared.
#[derive(Debug, Clone)]
pub struct VariableSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: VariableKind,
    /// Its value at the start; nothing if `None`.
    pub start: Option<Value>,
    /// Flags of the agent's command line that replace the start: the flag, and the value (`None`: the word behind the flag).
    pub argv: Vec<(String, Option<Value>)>,
    /// What changes it, in order.
    pub changes: Vec<DeclaredChange>,
    /// Frames that make the changes of the commands that were taken certain; `None` if all changes are immediate.
    pub acknowledged_by: Option<FramePattern>,
    /// Whether commands change it.
    pub from_commands: bool,
}
