//! Causes: findings of the same rule, clauses and shape over all scenarios, each one thing to fix. Pure.
//!
//! [`attribute`] gives each finding of a scenario its cause, and marks those that only follow from another finding (echoes).
//! [`collect`] groups the findings of all scenarios by their causes.

mod advice;
mod collect;
mod echoes;
mod last_words;
mod rule_echoes;
mod same_steps;
mod shape;
mod siblings;
mod start_settings;

pub use collect::{collect, group_by_reason};
pub use echoes::{attribute, roots_first};
pub use shape::{cause_id, describe, is_cause_of, place};
