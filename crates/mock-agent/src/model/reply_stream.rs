//! A reply that streams in: over HTTP, or from the scripted model in this process.

use super::error::ModelError;
use super::http_client::HttpBody;
use crate::control::Gates;
use crate::os::clock::Clock;
use mock_provider::script::Cut;
use mock_provider::{Chunk, Pauses, ReplyDecoder, ResponseStep};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A reply that streams in. Dropping it closes the connection.
pub(crate) struct ReplyStream {
    pub(super) bytes: ReplyBytes,
    pub(super) decoder: ReplyDecoder,
    /// The pauses before its chunks. A script has them in its steps.
    pub(super) pauses: Pauses,
    /// The gate that holds the reply after the first part of its text. The length of a reply over HTTP is not known in advance.
    pub(super) gate: Option<String>,
    pub(super) clock: Arc<Clock>,
    pub(super) gates: Rc<Gates>,
    pub(super) gate_timeout: Duration,
    pub(super) has_text: bool,
    pub(super) is_over: bool,
}

/// Where the bytes of a reply come from.
pub(super) enum ReplyBytes {
    Scripted(std::vec::IntoIter<ResponseStep>),
    Http(Box<HttpBody>),
}

impl ReplyStream {
    /// The next chunk; none after the last.
    pub(crate) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = loop {
            if let Some(chunk) = self.decoder.take() {
                break chunk;
            }
            if self.is_over {
                return None;
            }
            if let Err(error) = self.step().await {
                self.is_over = true;
                return Some(Err(error));
            }
        };
        self.is_over |= matches!(chunk, Chunk::Stop(_));
        if (self.has_text || self.is_over)
            && let Some(gate) = self.gate.take()
        {
            self.gates.hold(&gate, self.gate_timeout).await;
        }
        self.has_text |= matches!(chunk, Chunk::Text { .. });
        if let Some(pause) = self.pauses.before(&chunk) {
            self.clock.sleep(pause).await;
        }
        Some(Ok(chunk))
    }

    /// Reads once: there are more chunks, some time has passed, or the reply is over.
    async fn step(&mut self) -> Result<(), ModelError> {
        let read = match &mut self.bytes {
            ReplyBytes::Http(body) => body.read().await,
            ReplyBytes::Scripted(steps) => {
                tokio::task::yield_now().await;
                match steps.next() {
                    None | Some(ResponseStep::Cut(Cut::End)) => Ok(None),
                    Some(ResponseStep::Cut(Cut::Close | Cut::Reset)) => {
                        Err(ModelError::Disconnected)
                    }
                    Some(ResponseStep::Write(bytes)) => Ok(Some(bytes)),
                    Some(wait) => {
                        self.wait(wait).await;
                        return Ok(());
                    }
                }
            }
        };
        match read {
            Ok(Some(bytes)) => Ok(self.decoder.push(&bytes)?),
            _ if self.decoder.end() => Ok(()),
            ended => ended.and(Err(ModelError::CutShort)),
        }
    }

    async fn wait(&self, step: ResponseStep) {
        match step {
            ResponseStep::Gate(name) => self.gates.hold(&name, self.gate_timeout).await,
            // Pings have no content, so that only their time counts.
            ResponseStep::Sleep(length)
            | ResponseStep::Pings {
                length: Some(length),
                ..
            } => self.clock.sleep(length).await,
            ResponseStep::Forever | ResponseStep::Pings { length: None, .. } => {
                std::future::pending().await
            }
            ResponseStep::Write(_) | ResponseStep::Cut(_) => {}
        }
    }
}
