//! Anthropic Messages.

mod answers;
mod pairs;
mod refusals;
#[cfg(test)]
mod tests;
mod thinking;
mod turns;

pub(super) use answers::{Stream, error_document, whole};
pub(super) use refusals::refusal;
