//! The rule engine: runtime verification of ordering rules, which are data.
//!
//! `file` is the format of `ordering.yaml`; `lexer`, `parse` and `compile` turn it into rules. Each form of rule (`order`, `require`,
//! `deadline`, `readings`) has monitors that see one frame at a time; `automaton`, `evaluate` and `history_state` serve them.

pub mod automaton;
mod compare;
pub mod compile;
pub mod condition;
pub mod deadline;
pub mod evaluate;
pub mod file;
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
pub mod rule;
pub mod slices;
pub mod state_variable;
pub mod symbol;
pub mod truth;
