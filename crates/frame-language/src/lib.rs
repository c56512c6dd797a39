//! The language in which rules and faults select frames.
//!
//! A [`Pattern`] names frames, with [`Condition`]s on them: `tool_result{/status = error} | >stop`. [`parse::pattern`] reads one. Names are
//! kept as they are written: the user of a pattern knows which frames they mean.
//!
//! An [`EvalContext`] answers conditions on one frame, in three-valued logic: a value that is missing makes most of them unknown. What
//! they ask about earlier frames, a [`History`] answers; `()` is an empty history.
//!
//! ```
//! use frame_language::{EvalContext, Names, Truth, parse};
//!
//! let pattern = parse::pattern("end{/usage/output > 0}", &Names::default()).expect("no mistake");
//! let frame = serde_json::json!({ "type": "end", "usage": { "output": 7 } });
//! let context = EvalContext { value: &frame, history: () };
//! assert_eq!(context.holds_all(&pattern.0[0]), Truth::True);
//! ```

mod compare;
mod condition;
mod evaluate;
mod function;
mod lexer;
pub mod parse;
mod pattern;
mod pointer;
mod text_pattern;
mod truth;

pub use compare::{canonical, compare, equal};
pub use condition::{Compare, Condition, Operand};
pub use evaluate::{EvalContext, History, Values};
pub use function::{FUNCTIONS, Function, number};
pub use lexer::{SyntaxError, Token, tokenize, written_pointer};
pub use parse::{Names, Parser};
pub use pattern::{Atom, FrameName, Pattern};
pub use pointer::{Pointer, parent};
pub use text_pattern::TextPattern;
pub use truth::Truth;
