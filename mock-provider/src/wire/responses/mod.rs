//! OpenAI Responses.

mod compact;
mod decode;
mod output_item;
mod response;
mod validate;

pub(crate) use compact::compacted;
pub(super) use decode::ResponsesDecoder;
pub(super) use response::{ResponsesStream, document, whole};
pub(super) use validate::validation_error;
