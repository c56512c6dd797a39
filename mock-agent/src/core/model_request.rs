//! How a turn asks the model: once more where that is allowed, and never for ever.

use super::event::Event;
use super::session::Session;
use super::turn::Turn;
use crate::model::message::{ContentBlock, StopReason};
use crate::model::{Chunk, ModelError};
use std::time::Duration;

/// A model's whole reply.
pub(crate) struct Reply {
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) stop: StopReason,
}

/// The wait before the first retry; it doubles with each.
const BACKOFF: Duration = Duration::from_millis(20);

/// The longest wait before a retry, whatever the server wants.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Turn {
    /// The model's next reply, asked for again where that is allowed.
    pub(crate) async fn reply(&self, session: &Session) -> Result<Reply, ModelError> {
        let mut retries = 0;
        loop {
            let error = match self.attempt(session).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            self.usage.settle();
            let broken = self.partial.take().whole();
            session.call_ids.borrow_mut().release(&broken);
            let limit = session.settings.retries(error.interrupted);
            let said = session.settings.no_retry_after_output && !broken.is_empty();
            if !error.retryable || retries == limit || said {
                return Err(error);
            }
            let wait = BACKOFF.saturating_mul(1 << retries.min(16));
            let wait = error.retry_after.unwrap_or(wait).min(LONGEST_WAIT);
            retries += 1;
            let what = if error.interrupted {
                "Stream interrupted"
            } else {
                error.message.trim_end_matches('.')
            };
            let text = format!("{what}, retrying... ({retries}/{limit})");
            self.notice(session, &text);
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&self, session: &Session) -> Result<Reply, ModelError> {
        let patience = session.settings.model_timeout;
        let body = {
            let conversation = session.conversation.borrow();
            let tools = session.tools.specs();
            let mut request = session.settings.request(&conversation.messages, &tools);
            request.model = &self.model;
            session.hooks.model_request(&mut request);
            session.model.body(&request)
        };
        let mut stream = within(patience, session.model.send(body)).await??;
        if !self.usage.is_nothing() && !session.hooks.sums_usage() {
            self.usage.forget();
        }
        loop {
            let mut chunk = match within(patience, stream.next()).await? {
                Some(chunk) => chunk?,
                None => return Err(ModelError::cut_short()),
            };
            session.events.outbox.ready_for_turn().await;
            let hooks = &*session.hooks;
            session.call_ids.borrow_mut().settle(&mut chunk, hooks);
            let turn = self.id();
            session.events.emit(&Event::ModelChunk {
                turn,
                chunk: &chunk,
            });
            self.partial.borrow_mut().add(&chunk);
            match chunk {
                Chunk::Usage(usage) => self.usage.so_far(usage),
                Chunk::Stop(stop) => {
                    session.context.set(self.usage.now().context());
                    self.usage.settle();
                    let content = self.partial.take().whole();
                    return Ok(Reply { content, stop });
                }
                _ => {}
            }
        }
    }
}

/// Waits no longer than the model may be silent.
pub(crate) async fn within<T>(
    limit: Duration,
    what: impl Future<Output = T>,
) -> Result<T, ModelError> {
    tokio::time::timeout(limit, what)
        .await
        .map_err(|_| ModelError::timeout(limit))
}
