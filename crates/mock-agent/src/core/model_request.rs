//! Requests to the model: streamed replies with retries for a turn, and single replies that the host does not see.

use super::{Event, ReplyBuilder, Session, TurnContext};
use crate::faults::{Bug, Faults};
use crate::model::{BlockStart, Chunk, ContentBlock, ModelError, ModelRequest, Stop, Usage};
use serde_json::Value;
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

/// The next reply of a turn's model, with retries. While it streams in, its `partial` holds what has arrived.
///
/// # Errors
/// The last error, if it is not retryable or no retries are left.
pub(super) async fn stream_reply(turn: TurnContext<'_>) -> Result<CompleteReply, ModelError> {
    let session = turn.session;
    if let Some(reply) = unasked_reply(turn) {
        return reply;
    }
    let mut retries = 0;
    loop {
        let error = match try_stream_reply(turn).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        turn.turn.finish_request();
        let incomplete = turn.turn.partial.take().into_blocks();
        session.call_ids.borrow_mut().release(&incomplete);
        let limit = session.settings.retries(error.is_interruption());
        let final_output = session.settings.no_retry_after_output && !incomplete.is_empty();
        if !error.is_retryable() || retries == limit || final_output {
            return Err(error);
        }
        let asked = match error {
            ModelError::Status { retry_after, .. } => retry_after,
            _ => None,
        };
        let backoff = BACKOFF.saturating_mul(1 << retries.min(16));
        let delay = asked.unwrap_or(backoff).min(MAX_DELAY);
        retries += 1;
        let what = if error.is_interruption() {
            "Stream interrupted".to_owned()
        } else {
            error.to_string().trim_end_matches('.').to_owned()
        };
        turn.emit_notice(&format!("{what}, retrying... ({retries}/{limit})"));
        session.clock().sleep(delay).await;
    }
}

/// The first reply of a later turn, or its failure, which a fault creates without the model.
fn unasked_reply(context: TurnContext<'_>) -> Option<Result<CompleteReply, ModelError>> {
    let TurnContext { session, turn } = context;
    if !session.asked.get() || turn.used.get() != Usage::default() {
        return None;
    }
    if session.faults.triggers(Bug::FailsUnasked) {
        return Some(Err(ModelError::CutShort));
    }
    if !session.faults.triggers(Bug::AnswersUnasked) {
        return None;
    }
    let (index, text) = (0, "As I said.".to_owned());
    let chunks = [
        Chunk::Start {
            index,
            block: BlockStart::Text,
        },
        Chunk::Text {
            index,
            text: text.clone(),
        },
        Chunk::End { index },
        Chunk::Stop(Stop::EndTurn),
    ];
    for chunk in &chunks {
        let turn = turn.id();
        session.events.emit(&Event::ModelChunk { turn, chunk });
    }
    let content = vec![ContentBlock::Text(text)];
    let stop = Stop::EndTurn;
    Some(Ok(CompleteReply { content, stop }))
}

/// One request. Earlier frames are written first, so that the request does not overtake them.
async fn try_stream_reply(context: TurnContext<'_>) -> Result<CompleteReply, ModelError> {
    let TurnContext { session, turn } = context;
    let timeout = session.settings.model_timeout;
    let body = {
        let conversation = session.conversation.borrow();
        let tools = session.tools.specs();
        let (settings, messages) = (&session.settings, &conversation.messages);
        let mut request = settings.request(turn.model(), messages, &tools);
        if session.asked.replace(true) {
            shorten(&mut request, &session.faults);
        }
        body(session, &request)
    };
    session.events.outbox.written().await;
    let mut stream = within(timeout, session.model.send(body)).await??;
    if turn.used.get() != Usage::default() && session.faults.triggers(Bug::UsageOfLastRequest) {
        turn.used.take();
    }
    loop {
        let mut chunk = match within(timeout, stream.next()).await? {
            Some(chunk) => chunk?,
            None => return Err(ModelError::CutShort),
        };
        session.events.outbox.ready_for_turn().await;
        let mut call_ids = session.call_ids.borrow_mut();
        call_ids.make_unique(&mut chunk, &session.faults);
        drop(call_ids);
        session.events.emit(&Event::ModelChunk {
            turn: turn.id(),
            chunk: &chunk,
        });
        turn.partial.borrow_mut().add(&chunk);
        match chunk {
            Chunk::Usage(usage) => turn.running.set(usage),
            Chunk::Stop(stop) => {
                session.context_tokens.set(turn.running.get().context());
                turn.finish_request();
                let content = turn.partial.take().into_blocks();
                return Ok(CompleteReply { content, stop });
            }
            _ => {}
        }
    }
}

/// The body of a request.
fn body(session: &Session, request: &ModelRequest<'_>) -> Value {
    let mut body = session.model.body(request);
    session.faults.request(&mut body);
    body
}

/// Leaves out the parts that a fault sends only with the first request.
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
    session: &Session,
    request: &ModelRequest<'_>,
) -> Result<(ReplyBuilder, Usage), ModelError> {
    let timeout = session.settings.model_timeout;
    let body = body(session, request);
    let mut stream = within(timeout, session.model.send(body)).await??;
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
        .map_err(|_| ModelError::Timeout(limit))
}
