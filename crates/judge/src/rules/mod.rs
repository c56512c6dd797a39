//! The rule engine: runtime verification of ordering rules, which are data.
//!
//! `file` is the format of `ordering.yaml`, which `ordering` reads; `lexer`, `parse` and `compile` turn it into rules. Each form of rule
//! (`order`, `response`, `require`, `readings`) has monitors that see one frame at a time; `automaton`, `evaluate` and `history_state` serve them.

pub mod automaton;
mod compare;
pub mod compile;
pub mod condition;
pub mod evaluate;
pub mod frame_context;
pub mod frame_pattern;
pub mod history_state;
pub mod lexer;
pub mod monitor;
pub mod order;
pub mod parse;
pub mod pointer;
pub mod readings;
pub mod require;
pub mod response;
pub mod rule;
pub mod slices;
pub mod state_variable;
pub mod symbol;
pub mod truth;
pub mod variable_content;
pub mod variable_spec;
pub(crate) mod wording;
