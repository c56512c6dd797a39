//! Conditions and operands: what a rule may ask of a frame and of the state. Data only; `eval` answers them.

use super::parse::FramePattern;
use super::pointer::JsonPointer;
use regex::Regex;
use serde_json::Value;

/// A value that a rule can name.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A constant.
    Literal(Value),
    /// A pointer into the frame; the empty one is the whole frame.
    Pointer(JsonPointer),
    /// A state variable, by number: its whole content.
    State(usize),
    /// An entry of a map variable, by its key.
    Entry(usize, Box<Operand>),
    /// What this rule's fold has come to in its slice.
    Fold,
    /// A pointer into another operand.
    At(Box<Operand>, JsonPointer),
    /// A function of an operand.
    Call(Function, Box<Operand>),
    /// A list of operands, each of which must be there.
    List(Vec<Operand>),
}

/// A function of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The number of characters, elements or members.
    Length,
    /// The JSON value that a text holds; absent if it holds none.
    Json,
    /// The last element.
    Last,
    /// The sum of a list of numbers, or of several operands.
    Sum,
    /// The product of a list of numbers, or of several operands.
    Product,
    /// The texts of a list, joined.
    Join,
    /// The elements of a list, each once.
    Distinct,
    /// Every text of the value, at any depth, joined by newlines.
    Text,
    /// The names of an object's members, as a list.
    Keys,
    /// A text in small letters.
    Lower,
    /// A text without white space at its ends.
    Trim,
    /// `string`, `number`, `boolean`, `list` or `object`.
    Type,
}

/// The names of functions, as written in a rule.
pub const FUNCTIONS: &[(&str, Function)] = &[
    ("length", Function::Length),
    ("json", Function::Json),
    ("last", Function::Last),
    ("sum", Function::Sum),
    ("product", Function::Product),
    ("join", Function::Join),
    ("distinct", Function::Distinct),
    ("text", Function::Text),
    ("keys", Function::Keys),
    ("lower", Function::Lower),
    ("trim", Function::Trim),
    ("type", Function::Type),
];

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// The same value; numbers by their worth.
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
    /// The same number but for rounding.
    About,
    /// The left is an element of the list, a member name of the object or a part of the text on the right.
    In,
    /// The opposite of [`Compare::In`].
    NotIn,
    /// The right is an element, a member name or a part of the left at any depth; of a list on the right, every element.
    Contains,
}

/// A demand on a frame and the state.
#[derive(Debug, Clone)]
pub enum Condition {
    /// Every one holds.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A frame that matches this pattern came earlier in the slice. The number is the pattern's place in the rule.
    Seen(usize, FramePattern),
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
    Matches(Operand, Regex),
    /// The value is there; `null` counts as absent.
    Present(Operand),
    /// The value is there and holds nothing: an empty text, list, object, or a null.
    Empty(Operand),
    /// The condition holds of every element of a list; pointers in it are into the element.
    Every(Operand, Box<Condition>),
}
