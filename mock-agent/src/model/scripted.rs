//! A model played from a script in-process: the same replies as over HTTP, without the bytes in between.

use super::{Chunk, Language, ModelError, Opening, builtin};
use crate::message::{Stop, Usage};
use mock_provider::script::Stop as Said;
use mock_provider::{Answer, Block, Model, Piece, Request, Served, Tokens};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

/// How long a gate holds in-process, where no harness can release it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gate(pub(crate) Duration);

/// Plays a script; without one, answers by itself.
pub(crate) struct Player {
    script: Option<RefCell<Model>>,
    gate: Gate,
    requests: Cell<u64>,
}

impl Player {
    pub(crate) fn new(script: Option<Model>, gate: Gate) -> Self {
        Player {
            script: script.map(RefCell::new),
            gate,
            requests: Cell::new(0),
        }
    }

    pub(super) async fn ask(&self, language: Language, body: Value) -> Result<Played, ModelError> {
        let n = self.requests.replace(self.requests.get() + 1);
        let request = Request::in_process(n, language.wire(), body);
        let served = match &self.script {
            Some(model) => model.borrow_mut().next(&request),
            None => builtin::answer(&request),
        };
        for failure in &served.failures {
            tracing::warn!(request = n, "{failure}");
        }
        self.begin(served).await
    }

    async fn begin(&self, served: Served) -> Result<Played, ModelError> {
        if served.gate.is_some() {
            tokio::time::sleep(self.gate.0).await;
        }
        if let Some(delay) = served.delay {
            tokio::time::sleep(delay).await;
        }
        match served.answer {
            Answer::Message(message) => Ok(Played {
                pieces: message.pieces.into(),
                gate: self.gate,
                over: false,
            }),
            Answer::Error(error) => {
                let seconds = error.details.headers.get("retry-after");
                let retry_after = seconds
                    .and_then(|text| text.parse().ok())
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                let document = serde_json::json!({ "error": {
                    "type": error.kind,
                    "message": error.message,
                    "code": error.details.code,
                } });
                let body = error.details.body.unwrap_or_else(|| document.to_string());
                Err(ModelError::status(
                    error.status,
                    body.as_bytes(),
                    retry_after,
                ))
            }
            Answer::Cut(_) => Err(ModelError::unreachable(
                "The model's connection was closed before it answered.",
            )),
        }
    }
}

/// A reply as it is played.
pub(crate) struct Played {
    pieces: VecDeque<Piece>,
    gate: Gate,
    over: bool,
}

impl Played {
    pub(super) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        if self.over {
            return None;
        }
        tokio::task::yield_now().await;
        loop {
            let Some(piece) = self.pieces.pop_front() else {
                self.over = true;
                return None;
            };
            match step(piece) {
                Step::Chunk(chunk) => return Some(Ok(chunk)),
                Step::Failed(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
                Step::Gate => tokio::time::sleep(self.gate.0).await,
                Step::Wait(length) => tokio::time::sleep(length).await,
                Step::Silence => std::future::pending().await,
                Step::Nothing => {}
            }
        }
    }
}

/// What a piece comes to in-process.
enum Step {
    Chunk(Chunk),
    Failed(ModelError),
    Gate,
    Wait(Duration),
    Silence,
    Nothing,
}

fn step(piece: Piece) -> Step {
    let chunk = match piece {
        Piece::BlockStart { index, block } => Chunk::Start {
            index,
            block: opening(block),
        },
        Piece::TextDelta { index, text } => Chunk::Text { index, text },
        Piece::ThinkingDelta { index, text } => Chunk::Thinking { index, text },
        Piece::Signature { index, signature } => Chunk::Signature { index, signature },
        Piece::ArgsDelta { index, fragment } => Chunk::Args { index, fragment },
        Piece::BlockEnd { index } => Chunk::End { index },
        Piece::Usage(tokens) => Chunk::Usage(usage(tokens)),
        Piece::Stop(stop) => Chunk::Stop(reason(stop)),
        Piece::Ping | Piece::Raw(_) => return Step::Nothing,
        Piece::Gate(_) => return Step::Gate,
        Piece::Delay(length) => return Step::Wait(length),
        Piece::Stall { length, .. } => return length.map_or(Step::Silence, Step::Wait),
        Piece::Error { kind, message } => {
            return Step::Failed(ModelError::in_stream(&kind, &message));
        }
        Piece::Cut(_) => {
            return Step::Failed(ModelError::cut_short());
        }
    };
    Step::Chunk(chunk)
}

fn opening(block: Block) -> Opening {
    match block {
        Block::Text => Opening::Text,
        Block::Thinking => Opening::Thinking,
        Block::RedactedThinking { data } => Opening::Redacted(data),
        Block::ToolCall { id, name } => Opening::Call { id, tool: name },
    }
}

fn usage(tokens: Tokens) -> Usage {
    Usage {
        input: tokens.input,
        output: tokens.output,
        cache_read: tokens.cache_read,
        cache_write: tokens.cache_write,
    }
}

fn reason(stop: Said) -> Stop {
    match stop {
        Said::ToolUse => Stop::ToolUse,
        Said::MaxTokens => Stop::MaxTokens,
        Said::Refusal => Stop::Refusal,
        Said::EndTurn | Said::StopSequence | Said::PauseTurn => Stop::End,
    }
}
