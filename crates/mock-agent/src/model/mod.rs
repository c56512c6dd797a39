//! The model client: requests and streamed replies, over HTTP on the real LLM wires or from a script in-process.
//!
//! [`ModelClient`] is what the core talks to. `wires` is the table of the wires: each has a file that builds request bodies. The bytes
//! of the HTTP client and of the scripted model are decoded into the same [`Chunk`]s by `mock-provider`.

pub(crate) mod anthropic;
mod client;
mod echo;
mod effort;
mod error;
mod gemini;
mod half_gate;
mod http_client;
mod message;
mod openai_chat;
mod openai_responses;
mod prompt_marker;
mod reply_stream;
mod request;
mod scripted;
mod summary;
mod wires;

pub(crate) use client::ModelClient;
pub(crate) use effort::Effort;
pub(crate) use error::ModelError;
pub(crate) use http_client::{Endpoint, UrlError};
pub(crate) use message::{ContentBlock, Message, ResultContent, Role, arguments};
pub(crate) use mock_provider::script::Stop;
pub(crate) use mock_provider::{Block, BlockStart, Chunk, Usage, Wire};
pub(crate) use prompt_marker::PromptMarker;
pub(crate) use request::{ModelRequest, ToolSpec};
pub(crate) use scripted::{
    BuiltInScript, ReplySource, ScriptedModel, ScriptedModelOptions, TurnSettings,
};
pub(crate) use summary::SUMMARY_PROMPT;
pub(crate) use wires::api_name;
