//! The rule engine: ordering rules as data, one file a form.
//!
//! `lex` and `parse` read the language, `automaton`, `state`, `eval` and `world` run it, and the forms (`order`, `require`,
//! `deadline`, `probe`) are monitors that take one frame at a time.

pub mod automaton;
mod compare;
pub mod compile;
pub mod cond;
pub mod deadline;
pub mod eval;
pub mod file;
pub mod lex;
pub mod moment;
pub mod order;
pub mod parse;
pub mod pointer;
pub mod probe;
pub mod require;
pub mod rule;
pub mod slices;
pub mod state;
pub mod symbol;
pub mod tri;
pub mod world;
