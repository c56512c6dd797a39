//! OpenAI Responses.

mod decode;
mod output_item;
mod response;
mod validate;

pub(super) use decode::ResponsesDecoder;
pub(super) use response::{ResponsesStream, whole};
pub(super) use validate::validation_error;
