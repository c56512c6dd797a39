//! A deterministic scripted model: an LLM mock server for the Anthropic, OpenAI and Gemini APIs, and an in-process model.
//!
//! ```text
//!  script ──► Model (pure: request n -> ModelResponse) ──► pieces ──► in-process callers
//!                                                     └──────► wire (bytes) ──► server (HTTP) ──► journal
//! ```
//!
//! A [`Script`] is a list of replies. A [`Model`] serves each of them once, in order, and reports requests that do not match. Its
//! answers are independent of the API: a list of [`Piece`]s. A [`server::Server`] serves the same model over HTTP.
//!
//! ```
//! use mock_provider::{Answer, Chunk, Model, Request, Script, Wire};
//! use serde_json::json;
//!
//! let script = Script::from_value(json!([{ "text": ["Hi", " there"] }])).expect("a script");
//! assert!(script.check().is_empty());
//! let mut model = Model::new(script, 0);
//! let body = json!({ "model": "m", "max_tokens": 100, "messages": [{ "role": "user", "content": "hello" }] });
//! let served = model.next(&Request::in_process(0, Wire::AnthropicMessages, body));
//! let Answer::Message(message) = served.answer else { panic!("a message") };
//! let text = message.chunks().filter_map(|chunk| match chunk {
//!     Chunk::Text { text, .. } => Some(text.as_str()),
//!     _ => None,
//! });
//! assert_eq!(text.collect::<String>(), "Hi there");
//! assert!(model.unused().is_empty());
//! ```

mod answer;
mod answer_builder;
mod content_encoding;
mod conversation;
mod conversations;
mod embeddings;
mod error_response;
mod expect;
mod failure;
mod fallback;
mod headers;
mod held_turns;
mod history;
mod ids;
mod input_items;
mod lanes;
mod model;
mod pace;
mod recorded;
mod request;
mod response_plan;
pub mod script;
pub mod server;
mod signatures;
mod wire;

pub use answer::{
    Answer, AnswerMessage, Block, BlockStart, Blocks, Chunk, ErrorDetails, HttpError, Piece, Usage,
};
pub use content_encoding::{ContentEncodings, DecodedBody};
pub use error_response::{ErrorResponse, error_response};
pub use expect::RequestMismatch;
pub use failure::{FailureKind, News, ScriptFailure};
pub use lanes::Lane;
pub use model::{Model, ModelResponse};
pub use pace::{Pace, Pauses};
pub use recorded::{
    LostPart, RecordedAnswer, is_message_path, recorded_losses, recorded_message, recorded_reply,
};
pub use request::{AnswerForm, Request, Wire};
pub use response_plan::{ResponseStep, stream_steps};
pub use script::{Script, ScriptError};
pub use wire::{DecodeError, ReplyDecoder};
