//! Events of 0.2: the capabilities, and when they are told.

use super::config::{Config, EFFORTS};
use crate::core::event::{AgentInfo, Event};
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Code, Failure};
use crate::model::message::Usage;
use crate::protocols::aionrs::events::{error, frame, ready, stream_end};
use serde_json::{Value, json};

/// The version that `ready` tells.
const VERSION: &str = "0.2.0";

/// What the frames depend on.
#[derive(Default)]
pub(super) struct Events {
    pub(super) config: Config,
    in_turn: bool,
    /// The turn has failed.
    failed: bool,
    /// What is told when the turn is over.
    queued: Vec<Value>,
    /// The message that asked for the compaction at work.
    pub(super) compacting: Option<String>,
}

impl Events {
    /// The frame that tells the capabilities as they are now; nothing while a turn is at work, for then it is queued.
    pub(super) fn config_changed(&mut self) -> Option<Value> {
        let frame = json!({ "type": "config_changed", "capabilities": self.config.capabilities() });
        if self.in_turn {
            self.queued.push(frame);
            return None;
        }
        Some(frame)
    }

    fn ready(&mut self, hello: &AgentInfo) -> Value {
        self.config.mcp = hello.mcp;
        self.config.mode = hello.mode.name();
        self.config.model.clone_from(&hello.model_info.model);
        if hello.model_info.provider == "openai" {
            self.config.efforts = EFFORTS;
        }
        ready(hello, VERSION, self.config.capabilities())
    }

    fn turn_end(&mut self, turn: &str, usage: Usage) -> Vec<Value> {
        let failed = std::mem::take(&mut self.failed);
        let usage = if failed { Usage::default() } else { usage };
        self.in_turn = false;
        let mut frames = vec![stream_end(turn, usage)];
        frames.append(&mut self.queued);
        frames
    }

    /// The end of a message that asked for a compaction.
    fn compacted(&mut self, said: Value) -> Vec<Value> {
        let end = self.compacting.take();
        let end = end.map(|message| stream_end(&message, Usage::default()));
        std::iter::once(said).chain(end).collect()
    }
}

impl EventEncoder for Events {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => return vec![self.ready(hello)],
            Event::TurnStart { .. } => (self.in_turn, self.failed) = (true, false),
            Event::TurnEnd { turn, usage, .. } => return self.turn_end(turn, *usage),
            Event::Failed {
                turn: Some(_),
                failure,
            } => self.failed |= ends_turn(failure),
            Event::Failed {
                turn: None,
                failure,
            } if self.compacting.is_some() && failure.code != Code::Protocol => {
                return self.compacted(error(None, failure));
            }
            Event::CompactionEnd(summary) => {
                let text = format!("Context compacted: {} tokens before", summary.before);
                return self.compacted(info(&text));
            }
            Event::McpServerConnected { server, tools } => {
                self.config.mcp = true;
                return vec![json!({ "type": "mcp_ready", "name": server, "tools": tools })];
            }
            _ => {}
        }
        frame(event).into_iter().collect()
    }
}

/// A refused attachment too leaves nothing to ask the model.
fn ends_turn(failure: &Failure) -> bool {
    failure.code != Code::Tool
}

/// An `info` that belongs to no turn.
pub(super) fn info(text: &str) -> Value {
    json!({ "type": "info", "msg_id": "", "message": text })
}
