//! OpenAI Chat Completions.

mod answers;
mod refusals;

pub(super) use answers::{Stream, error_document, whole};
pub(super) use refusals::refusal;
