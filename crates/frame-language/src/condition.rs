//! The syntax tree of conditions and operands: the questions about a frame and about the history before it. `evaluate` gives the answers.

use crate::function::Function;
use crate::pointer::Pointer;
use crate::text_pattern::TextPattern;
use serde_json::Value;

/// A value that a condition can name.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A constant.
    Literal(Value),
    /// A pointer into the frame; the empty one is the whole frame.
    Pointer(Pointer),
    /// A state variable, by number: its whole content.
    State(usize),
    /// An entry of a map variable, by its key.
    Entry(usize, Box<Operand>),
    /// The value of this rule's fold in the slice.
    Fold,
    /// When the frame came, in seconds since the agent was started.
    Time,
    /// A pointer into another operand.
    At(Box<Operand>, Pointer),
    /// A function of an operand.
    Call(Function, Box<Operand>),
    /// A list of operands; absent if one of them is.
    List(Vec<Operand>),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// The same value; numbers are compared by value.
    Equal,
    /// Not the same value.
    NotEqual,
    /// Less, for numbers.
    Less,
    /// Less or equal, for numbers.
    AtMost,
    /// Greater, for numbers.
    Greater,
    /// Greater or equal, for numbers.
    AtLeast,
    /// The same number except for rounding.
    About,
    /// The first value is valid by the JSON Schema that the second one is.
    Fits,
    /// The left side is an element of the list, a member name of the object or a substring of the text on the right.
    In,
    /// The opposite of [`Compare::In`].
    NotIn,
    /// The right side is an element, a member name or a substring in the left side, at any depth; of a list on the right, every element.
    Contains,
}

/// A condition on a frame and the history state.
#[derive(Debug, Clone)]
pub enum Condition {
    /// All of them are true.
    All(Vec<Condition>),
    /// At least one is true.
    Any(Vec<Condition>),
    /// It is false.
    Not(Box<Condition>),
    /// A frame that matches the pattern of this number came earlier.
    Seen(usize),
    /// A comparison.
    Compare {
        /// The left side.
        left: Operand,
        /// How.
        how: Compare,
        /// The right side.
        right: Operand,
        /// Members left out of both sides before they are compared, at any depth.
        except: Vec<String>,
    },
    /// A text matches a regular expression.
    Matches(Operand, TextPattern),
    /// The value exists; `null` counts as absent.
    Present(Operand),
    /// The value exists and is empty: an empty text, list or object, or null.
    Empty(Operand),
    /// The condition is true for every element of a list; pointers in it point into the element.
    Every(Operand, Box<Condition>),
}

impl Operand {
    /// The place in the frame that it reads, directly or by a function.
    fn pointer(&self) -> Option<&str> {
        match self {
            Operand::Pointer(pointer) => Some(pointer.plain()),
            Operand::Call(_, inner) => match &**inner {
                Operand::Pointer(pointer) => Some(pointer.plain()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether its value depends on the frames before.
    fn has_state(&self) -> bool {
        match self {
            Operand::State(_) | Operand::Entry(..) | Operand::Fold | Operand::Time => true,
            Operand::At(inner, _) | Operand::Call(_, inner) => inner.has_state(),
            Operand::List(each) => each.iter().any(Operand::has_state),
            Operand::Literal(_) | Operand::Pointer(_) => false,
        }
    }
}

impl Condition {
    /// Whether it asks for a frame that came earlier.
    pub fn has_seen(&self) -> bool {
        match self {
            Condition::Seen(_) => true,
            Condition::All(each) | Condition::Any(each) => each.iter().any(Condition::has_seen),
            Condition::Not(inner) | Condition::Every(_, inner) => inner.has_seen(),
            _ => false,
        }
    }

    /// The places in the frame that it looks at, in the order written.
    pub fn pointers(&self) -> Vec<&str> {
        match self {
            Condition::All(each) | Condition::Any(each) => {
                each.iter().flat_map(Condition::pointers).collect()
            }
            Condition::Not(inner) => inner.pointers(),
            Condition::Compare { left, right, .. } => {
                left.pointer().into_iter().chain(right.pointer()).collect()
            }
            Condition::Matches(operand, _)
            | Condition::Present(operand)
            | Condition::Empty(operand)
            | Condition::Every(operand, _) => operand.pointer().into_iter().collect(),
            Condition::Seen(_) => Vec::new(),
        }
    }

    /// The one place in the frame that it is about; `None` if it is about more than that, or about the frames before.
    pub fn subject(&self) -> Option<&str> {
        let (operand, other) = match self {
            Condition::Not(inner) => return inner.subject(),
            Condition::Compare { left, right, .. } => (left, Some(right)),
            Condition::Matches(operand, _)
            | Condition::Present(operand)
            | Condition::Empty(operand) => (operand, None),
            _ => return None,
        };
        match operand {
            Operand::Pointer(pointer) if !other.is_some_and(Operand::has_state) => {
                Some(pointer.plain()).filter(|place| !place.is_empty())
            }
            _ => None,
        }
    }
}
