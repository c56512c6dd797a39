//! Gemini: the Generative Language API of Google, <https://ai.google.dev/api>.

mod call_ids;
mod decode;
mod embeddings;
mod members;
mod parts;
mod path;
mod response;
mod schema;
mod validate;

pub(crate) use call_ids::CallIds;
pub(super) use decode::GeminiDecoder;
pub(crate) use embeddings::embeddings;
pub(crate) use members::normalized;
pub(super) use members::snake_case;
pub(crate) use path::{GeminiPath, parameter};
pub(super) use response::{GeminiStream, error_document, whole};
pub(super) use validate::validation_error;
