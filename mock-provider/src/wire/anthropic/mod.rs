//! Anthropic Messages.

mod decode;
mod prefill;
mod response;
mod thinking;
mod turns;
mod validate;

pub(super) use decode::AnthropicDecoder;
pub(super) use response::{AnthropicStream, error_document, whole};
pub(super) use validate::validation_error;
