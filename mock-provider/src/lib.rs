//! A deterministic scripted model, in-process and over the real LLM wires.
//!
//! ```text
//!  script ──► Model (pure: request n -> Served) ──► pieces ──► in-process callers play them
//!                                                     └──────► wire (bytes) ──► server (HTTP) ──► journal
//! ```
//!
//! A [`Script`] is a list of replies. A [`Model`] hands them out, strictly and each once, and says what was wrong with a
//! request. What it hands out is wire-neutral: a list of [`Piece`]s.

mod answer;
mod compose;
mod conversation;
mod expect;
mod failure;
mod headers;
mod ids;
mod matcher;
mod memory;
mod model;
mod plan;
mod request;
pub mod script;
pub mod server;
mod wire;

pub use answer::{Answer, Block, ErrorDetails, HttpError, Message, Piece, Tokens};
pub use expect::{Mismatch, mismatches};
pub use failure::{Failure, FailureKind};
pub use headers::Headers;
pub use model::{Model, Served};
pub use request::{Request, Wire};
pub use script::{Problem, Script};
