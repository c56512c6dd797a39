//! The model APIs ("wires") that agents use: a folder for each, with its encoder, its decoder and its validation of requests.
//!
//! A new wire is a variant of [`Wire`](crate::request::Wire), its folder, and its arms in `dispatch.rs`.

mod anthropic;
mod apis;
mod chat;
mod decoder;
mod dispatch;
mod encoder;
#[cfg(test)]
mod refusals;
mod responses;
mod sse;

pub use decoder::{DecodeError, ReplyDecoder};
pub(crate) use dispatch::{count_tokens, encoder, token_count_error, validation_error, whole};
pub(crate) use encoder::{Encoder, EventBuffer, WireContext};
