//! OpenAI Chat Completions.

mod decode;
mod response;
mod validate;

pub(super) use decode::ChatDecoder;
pub(super) use response::{ChatStream, error_document, whole};
pub(super) use validate::validation_error;
