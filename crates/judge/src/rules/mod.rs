//! The rule engine: runtime verification of ordering rules, which are data.
//!
//! `parse` and `compile` turn `ordering.yaml` into rules, whose patterns and conditions are those of `frame_language`. Each form of rule
//! (`order`, `response`, `require`, `readings`, `conversation`) has monitors that see one frame at a time; `automaton`, `eval_context` and `history_state` serve them.

pub mod automaton;
pub mod compile;
pub mod conversation;
pub mod eval_context;
pub mod frame_context;
pub mod frame_pattern;
pub mod history_state;
pub mod monitor;
pub mod order;
pub mod parse;
pub mod readings;
pub mod require;
pub mod response;
pub mod rule;
pub mod slices;
pub mod state_variable;
pub mod symbol;
pub mod variable_content;
pub mod variable_spec;
pub(crate) mod wording;
