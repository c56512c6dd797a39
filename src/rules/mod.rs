//! The rule engine: ordering rules as data, one file a form.
//!
//! `lex` and `parse` read the language, `automaton`, `state`, `eval` and `world` run it, and the forms (`order`, `require`,
//! `deadline`, `probe`) are monitors that take one frame at a time.

pub mod automaton;
mod compare;
pub mod compile;
pub mod condition;
pub mod deadline;
pub mod evaluate;
pub mod file;
pub mod frame_context;
pub mod history_state;
pub mod lexer;
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
