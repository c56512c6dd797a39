//! Scripted model, in-process: plays the replies of a script without HTTP, or echoes where there is no script.

use super::echo;
use super::error::ModelError;
use super::reply_stream::{BlockStart, Chunk};
use crate::control::Gates;
use crate::model::message::{StopReason, Usage};
use mock_provider::script::Stop as ScriptedStop;
use mock_provider::{Answer, BlockKind, Model, ModelResponse, Piece, Request, Tokens, Wire};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

/// A model that plays a script; without one, it is the echo model.
pub(crate) struct ScriptedModel {
    script: RefCell<Option<Model>>,
    gates: Rc<Gates>,
    /// How long a gate holds.
    gate_timeout: Duration,
    requests: Cell<u64>,
}

impl ScriptedModel {
    pub(crate) fn new(script: Option<Model>, gates: Rc<Gates>, gate_timeout: Duration) -> Self {
        ScriptedModel {
            script: RefCell::new(script),
            gates,
            gate_timeout,
            requests: Cell::new(0),
        }
    }

    /// Plays another script from the next request on.
    pub(crate) fn reset(&self, script: Model) {
        *self.script.borrow_mut() = Some(script);
    }

    pub(super) async fn send(&self, wire: Wire, body: Value) -> Result<ScriptedReply, ModelError> {
        let n = self.requests.replace(self.requests.get() + 1);
        let request = Request::in_process(n, wire, body);
        let served = match &mut *self.script.borrow_mut() {
            Some(model) => model.next(&request),
            None => echo::answer(&request),
        };
        for failure in &served.failures {
            tracing::warn!(request = n, "{failure}");
        }
        self.begin(served).await
    }

    async fn begin(&self, served: ModelResponse) -> Result<ScriptedReply, ModelError> {
        if let Some(gate) = &served.gate {
            self.gates.hold(gate, self.gate_timeout).await;
        }
        if let Some(delay) = served.delay {
            tokio::time::sleep(delay).await;
        }
        match served.answer {
            Answer::Message(message) => Ok(ScriptedReply {
                pause: message.delivery.pause.map(|pause| pause.0),
                pieces: message.pieces.into(),
                gates: Rc::clone(&self.gates),
                gate_timeout: self.gate_timeout,
                has_begun: false,
                ended: false,
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

/// A scripted reply that streams in.
pub(crate) struct ScriptedReply {
    pieces: VecDeque<Piece>,
    /// The pause after each piece.
    pause: Option<Duration>,
    gates: Rc<Gates>,
    gate_timeout: Duration,
    has_begun: bool,
    ended: bool,
}

impl ScriptedReply {
    pub(super) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        if self.ended {
            return None;
        }
        tokio::task::yield_now().await;
        if let Some(pause) = self.pause.filter(|_| self.has_begun) {
            tokio::time::sleep(pause).await;
        }
        self.has_begun = true;
        loop {
            let Some(piece) = self.pieces.pop_front() else {
                self.ended = true;
                return None;
            };
            match effect(piece) {
                PieceEffect::Chunk(chunk) => return Some(Ok(chunk)),
                PieceEffect::Failed(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                PieceEffect::Gate(name) => self.gates.hold(&name, self.gate_timeout).await,
                PieceEffect::Wait(length) => tokio::time::sleep(length).await,
                PieceEffect::Stall => std::future::pending().await,
                PieceEffect::None => {}
            }
        }
    }
}

/// The effect of a scripted piece in-process.
enum PieceEffect {
    Chunk(Chunk),
    Failed(ModelError),
    Gate(String),
    Wait(Duration),
    Stall,
    None,
}

fn effect(piece: Piece) -> PieceEffect {
    let chunk = match piece {
        Piece::BlockStart { index, block } => Chunk::Start {
            index,
            block: block_start(block),
        },
        Piece::TextDelta { index, text } => Chunk::Text { index, text },
        Piece::ThinkingDelta { index, text } => Chunk::Thinking { index, text },
        Piece::Signature { index, signature } => Chunk::Signature { index, signature },
        Piece::ArgsDelta { index, fragment } => Chunk::Args { index, fragment },
        Piece::BlockEnd { index } => Chunk::End { index },
        Piece::Usage(tokens) => Chunk::Usage(usage(tokens)),
        Piece::Stop(stop) => Chunk::Stop(stop_reason(stop)),
        Piece::Ping | Piece::Raw(_) => return PieceEffect::None,
        Piece::Gate(name) => return PieceEffect::Gate(name),
        Piece::Delay(length) => return PieceEffect::Wait(length),
        Piece::Stall { length, .. } => return length.map_or(PieceEffect::Stall, PieceEffect::Wait),
        Piece::Error { kind, message } => {
            return PieceEffect::Failed(ModelError::in_stream(&kind, &message));
        }
        Piece::Cut(_) => {
            return PieceEffect::Failed(ModelError::cut_short());
        }
    };
    PieceEffect::Chunk(chunk)
}

fn block_start(block: BlockKind) -> BlockStart {
    match block {
        BlockKind::Text => BlockStart::Text,
        BlockKind::Thinking => BlockStart::Thinking,
        BlockKind::RedactedThinking { data } => BlockStart::Redacted(data),
        BlockKind::ToolCall { id, name } => BlockStart::Call { id, tool: name },
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

fn stop_reason(stop: ScriptedStop) -> StopReason {
    match stop {
        ScriptedStop::ToolUse => StopReason::ToolUse,
        ScriptedStop::MaxTokens => StopReason::MaxTokens,
        ScriptedStop::Refusal => StopReason::Refusal,
        ScriptedStop::EndTurn | ScriptedStop::StopSequence | ScriptedStop::PauseTurn => {
            StopReason::End
        }
    }
}
