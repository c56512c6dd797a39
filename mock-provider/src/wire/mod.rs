//! The model APIs ("wires") that agents use: a folder for each, with its encoder, its decoder and its validation of requests.
//!
//! A new wire is a variant of [`Wire`](crate::request::Wire), its folder, and its arms in `dispatch.rs`.

mod anthropic;
mod anthropic_words;
mod apis;
mod chat;
mod decoder;
mod dispatch;
mod encoder;
mod function_schema;
mod gemini;
mod gemini_words;
mod ignored;
mod numbered_blocks;
mod openai_words;
#[cfg(test)]
mod refusals;
mod request_error;
mod request_keywords;
mod request_schema;
mod responses;
mod sse;

pub use decoder::{DecodeError, ReplyDecoder};
pub(crate) use dispatch::{
    count_tokens, document, encoder, message_id, queued, token_count_error, unfinished,
    validation_error, whole,
};
pub(crate) use encoder::{Encoder, EventBuffer, WireContext};
pub(crate) use gemini::{
    CallIds, GeminiPath, embeddings as gemini_embeddings, normalized as gemini_body, parameter,
};
pub(crate) use ignored::ignored_members;
pub(crate) use responses::compacted;
pub(crate) use sse::event_data;
