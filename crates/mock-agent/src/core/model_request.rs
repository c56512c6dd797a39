//! Requests to the model: streamed replies with retries for a turn, and single replies that the host does not see.

use super::event::Event;
use super::reply::ReplyBuilder;
use super::state::SessionState;
use super::turn_context::TurnContext;
use crate::faults::{Bug, Faults};
use crate::model::message::{ContentBlock, Usage};
use crate::model::{Chunk, ModelError, ModelRequest, Stop};
use std::cell::RefCell;
use std::time::Duration;

/// A complete reply of the model.
pub(super) struct CompleteReply {
    pub(super) content: Vec<ContentBlock>,
    pub(super) stop: Stop,
}

/// The delay before the first retry; it doubles with each.
const BACKOFF: Duration = Duration::from_millis(20);

/// The maximum delay before a retry, even if the server asks for more.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// The next reply of a turn's model, with retries. While it streams in, `partial` holds what has arrived.
///
/// # Errors
/// The last error, if it is not retryable or no retries are left.
pub(super) async fn stream_reply(
    turn: &TurnContext<'_>,
    partial: &RefCell<ReplyBuilder>,
) -> Result<CompleteReply, ModelError> {
    let state = turn.state;
    let mut retries = 0;
    loop {
        let error = match try_stream_reply(turn, partial).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        turn.usage.finish_request();
        let incomplete = partial.take().into_blocks();
        state.call_ids.borrow_mut().release(&incomplete);
        let limit = state.settings.retries(error.interrupted);
        let final_output = state.settings.no_retry_after_output && !incomplete.is_empty();
        if !error.retryable || retries == limit || final_output {
            return Err(error);
        }
        let delay = BACKOFF.saturating_mul(1 << retries.min(16));
        let delay = error.retry_after.unwrap_or(delay).min(MAX_DELAY);
        retries += 1;
        let what = if error.interrupted {
            "Stream interrupted"
        } else {
            error.message.trim_end_matches('.')
        };
        turn.emit_notice(&format!("{what}, retrying... ({retries}/{limit})"));
        tokio::time::sleep(delay).await;
    }
}

async fn try_stream_reply(
    turn: &TurnContext<'_>,
    partial: &RefCell<ReplyBuilder>,
) -> Result<CompleteReply, ModelError> {
    let state = turn.state;
    let timeout = state.settings.model_timeout;
    let body = {
        let conversation = state.conversation.borrow();
        let tools = state.tools.specs();
        let (settings, messages) = (&state.settings, &conversation.messages);
        let mut request = settings.request(turn.model, messages, &tools);
        if state.asked.replace(true) {
            shorten(&mut request, &state.faults);
        }
        state.model.body(&request)
    };
    let mut stream = within(timeout, state.model.send(body)).await??;
    if !turn.usage.is_zero() && state.faults.triggers(Bug::UsageOfLastRequest) {
        turn.usage.forget_finished();
    }
    loop {
        let mut chunk = match within(timeout, stream.next()).await? {
            Some(chunk) => chunk?,
            None => return Err(ModelError::cut_short()),
        };
        state.events.outbox.ready_for_turn().await;
        let mut call_ids = state.call_ids.borrow_mut();
        call_ids.make_unique(&mut chunk, &state.faults);
        drop(call_ids);
        state.events.emit(&Event::ModelChunk {
            turn: turn.id,
            chunk: &chunk,
        });
        partial.borrow_mut().add(&chunk);
        match chunk {
            Chunk::Usage(usage) => turn.usage.set_running(usage),
            Chunk::Stop(stop) => {
                state.context_tokens.set(turn.usage.running().context());
                turn.usage.finish_request();
                let content = partial.take().into_blocks();
                return Ok(CompleteReply { content, stop });
            }
            _ => {}
        }
    }
}

/// Leaves out what a fault sends only with the first request.
fn shorten(request: &mut ModelRequest<'_>, faults: &Faults) {
    if faults.triggers(Bug::SystemPromptOnce) {
        request.system = "";
    }
    if faults.triggers(Bug::MaxTokensOnce) {
        request.max_tokens = 4096;
    }
    let (turn, first) = faults.turns(Bug::ToolsOnce);
    if turn > first && faults.triggers(Bug::ToolsOnce) {
        request.tools = &[];
    }
}

/// A single reply to a request, without retries and events; and the tokens that it used.
///
/// # Errors
/// The model failed or timed out.
pub(super) async fn collect_reply(
    state: &SessionState,
    request: &ModelRequest<'_>,
) -> Result<(ReplyBuilder, Usage), ModelError> {
    let timeout = state.settings.model_timeout;
    let body = state.model.body(request);
    let mut stream = within(timeout, state.model.send(body)).await??;
    let mut reply = ReplyBuilder::default();
    let mut usage = Usage::default();
    while let Some(chunk) = within(timeout, stream.next()).await? {
        let chunk = chunk?;
        if let Chunk::Usage(so_far) = chunk {
            usage = so_far;
        }
        reply.add(&chunk);
    }
    Ok((reply, usage))
}

async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Result<T, ModelError> {
    tokio::time::timeout(limit, future)
        .await
        .map_err(|_| ModelError::timeout(limit))
}
