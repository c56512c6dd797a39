//! OpenAI Responses.

mod answers;
mod items;
mod refusals;
#[cfg(test)]
mod tests;

pub(super) use answers::{Stream, whole};
pub(super) use refusals::refusal;
