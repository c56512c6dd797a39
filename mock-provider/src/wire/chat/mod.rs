//! OpenAI Chat Completions.

mod response;
mod validate;

pub(super) use response::{ChatStream, error_document, whole};
pub(super) use validate::validation_error;
