//! Session settings: model, limits, timeouts, retries, and what the host can choose from.

use super::{Failure, ScheduledRetry};
use crate::model::{Endpoint, Message, ModelRequest, ToolSpec, Wire};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a session. They do not change while it runs.
#[derive(Debug, Clone)]
pub(crate) struct SessionSettings {
    /// The model of the first turn, by the name of its API.
    pub(crate) model: String,
    pub(crate) model_info: ModelInfo,
    pub(crate) system_prompt: String,
    /// The maximum output tokens of a reply.
    pub(crate) max_tokens: u32,
    /// The maximum number of requests to the model in a turn.
    pub(crate) max_turns: u32,
    /// The timeout for output of the model.
    pub(crate) model_timeout: Duration,
    /// The number of retries of a failed request; the default depends on the error.
    pub(crate) request_retries: Option<u32>,
    /// Whether a request is not retried after some of its reply was sent to the host, which cannot take it back.
    pub(crate) no_retry_after_output: bool,
    /// How failed turns are retried; none: not at all.
    pub(crate) turn_retries: Option<RetryPolicy>,
    /// Whether the calls of a reply run one after the other.
    pub(crate) sequential_calls: bool,
    /// The size of the context, in tokens, from which on it is compacted automatically; none: never.
    pub(crate) compaction_threshold: Option<u64>,
    /// How many tokens of the latest turns a compaction keeps as they are. If it would keep all of them, there is nothing to compact.
    pub(crate) compaction_keeps: u64,
    /// The folder for long outputs of shell commands of the host.
    pub(crate) output_folder: PathBuf,
    /// The providers that the host can choose models from.
    pub(crate) providers: Vec<ModelProvider>,
    pub(crate) host_options: HostOptions,
}

/// The default number of retries after an interrupted stream.
const STREAM_RETRIES: u32 = 2;

impl SessionSettings {
    /// The number of retries of a failed request.
    pub(crate) fn retries(&self, interrupted: bool) -> u32 {
        self.request_retries
            .unwrap_or(if interrupted { STREAM_RETRIES } else { 0 })
    }

    /// A request to this model, with these messages and tools.
    pub(crate) fn request<'a>(
        &'a self,
        model: &'a str,
        messages: &'a [Message],
        tools: &'a [ToolSpec],
    ) -> ModelRequest<'a> {
        ModelRequest {
            model,
            max_tokens: self.max_tokens,
            system: &self.system_prompt,
            messages,
            tools,
        }
    }
}

/// How failed turns are retried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// The maximum number of retries.
    pub(crate) attempts: u32,
    /// The wait before the first retry; it doubles with each.
    pub(crate) delay: Duration,
    /// Whether failed compactions are retried too.
    pub(crate) summaries: bool,
}

impl RetryPolicy {
    /// The retry with this number, counted from 1.
    pub(super) fn retry<'a>(&self, attempt: u32, failure: &'a Failure) -> ScheduledRetry<'a> {
        ScheduledRetry {
            attempt,
            of: self.attempts,
            delay: self.delay * 2u32.saturating_pow(attempt - 1),
            failure,
        }
    }
}

/// A model: its name, its price and the size of its context window.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelInfo {
    /// The name of its API.
    pub(crate) api: String,
    pub(crate) provider: String,
    pub(crate) model: String,
    /// The size of the context window, in tokens.
    pub(crate) window: u64,
    pub(crate) rates: Rates,
}

/// The price in dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rates {
    pub(crate) input: f64,
    pub(crate) output: f64,
    pub(crate) cache_read: f64,
    pub(crate) cache_write: f64,
}

/// The default context window, in tokens.
pub(crate) const DEFAULT_WINDOW: u64 = 200_000;

/// The default price.
pub(crate) const DEFAULT_RATES: Rates = Rates {
    input: 3.0,
    output: 15.0,
    cache_read: 0.3,
    cache_write: 3.75,
};

/// A provider that the host can choose models from.
#[derive(Debug, Clone)]
pub(crate) struct ModelProvider {
    pub(crate) provider: String,
    /// The wire of its models.
    pub(crate) wire: Wire,
    /// The address of its models; none if they are scripted.
    pub(crate) endpoint: Option<Endpoint>,
    /// The names of its models.
    pub(crate) models: Vec<String>,
}

impl ModelProvider {
    /// Whether the host can choose models of any name, without the name of the provider.
    pub(crate) fn accepts_any_model(&self) -> bool {
        self.wire == Wire::AnthropicMessages
    }
}

/// What the host can choose from or use, in protocols with such commands.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostOptions {
    /// All models.
    pub(crate) models: Vec<ListedModel>,
    /// The models that the host cycles through; all if empty.
    pub(crate) scope: Vec<String>,
    /// The thinking level.
    pub(crate) thinking_level: Option<String>,
    /// The files of prompt templates.
    pub(crate) templates: Vec<PathBuf>,
    /// The folders of skills.
    pub(crate) skills: Vec<PathBuf>,
    /// Whether extensions are loaded.
    pub(crate) has_extensions: bool,
    /// The session that the agent starts with.
    pub(crate) first_session: FirstSession,
    /// The first name of the session.
    pub(crate) session_name: Option<String>,
    /// Whether queued prompts are played after a turn was stopped.
    pub(crate) keeps_queue_after_stop: bool,
    /// The folder for sessions; none if they are not saved.
    pub(crate) session_folder: Option<PathBuf>,
    /// The seed for the ids of further sessions.
    pub(crate) seed: u64,
    /// Whether the host must log in first.
    pub(crate) requires_login: bool,
    /// The number of entries of a page, where lists have pages.
    pub(crate) page: usize,
}

/// The session that the agent starts with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum FirstSession {
    #[default]
    New,
    /// The session in this file, which is new if there is none.
    Resumed(PathBuf),
    /// A new session with the entries of the one in this file.
    Forked(PathBuf),
    /// The session with this id, which is new if there is none.
    WithId(String),
}

/// A model that the host can choose.
#[derive(Debug, Clone)]
pub(crate) struct ListedModel {
    pub(crate) model_info: ModelInfo,
    /// The longest reply, in tokens.
    pub(crate) max_tokens: u32,
    pub(crate) wire: Wire,
    pub(crate) endpoint: Endpoint,
    /// Whether the model can think.
    pub(crate) has_reasoning: bool,
    /// The model as it is described to the host.
    pub(crate) description: Value,
}
