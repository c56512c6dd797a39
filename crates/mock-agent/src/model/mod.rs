//! The model client: requests and streamed replies, over HTTP on the real LLM wires or from a script in-process.
//!
//! [`ModelClient`] is what the core talks to. `wires` is the table of the wires: each has a file that builds request bodies and
//! decodes the events of its stream. The HTTP client and the scripted model give the same [`Chunk`]s.

pub(crate) mod anthropic;
mod client;
mod echo;
mod effort;
mod error;
mod half_gate;
mod http_client;
pub(crate) mod message;
mod openai_chat;
mod openai_responses;
mod paced_reply;
mod prompt_marker;
mod reply_decoder;
mod reply_stream;
mod request;
pub(crate) mod script_file;
mod scripted;
mod sse;
mod summary;
mod wires;

pub(crate) use client::{Backend, ModelClient};
pub(crate) use effort::Effort;
pub(crate) use error::ModelError;
pub(crate) use http_client::Endpoint;
pub(crate) use mock_provider::Wire;
pub(crate) use prompt_marker::PromptMarker;
pub(crate) use reply_stream::{BlockStart, Chunk};
pub(crate) use request::{ModelRequest, ToolSpec};
pub(crate) use scripted::{
    ReplySource, ScriptedModel, ScriptedModelOptions, StoryScript, TurnSettings,
};
pub(crate) use summary::SUMMARY_PROMPT;
pub(crate) use wires::api_name;
