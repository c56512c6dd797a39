//! What the model is asked besides the conversation. One kind of sub-agent has the model and no tools, and answers once; for
//! the other see [`super::subagent`].

use super::model_request::within;
use super::reply::ReplyBuilder;
use super::session::Session;
use super::turn::Turn;
use crate::model::message::{ContentBlock, Message, Role, TokenUsage};
use crate::model::{Chunk, ModelError, ModelRequest};
use crate::tools::{SubagentFuture, SubagentRunner, SubagentTask};

/// Has tasks done for a turn, at its expense.
pub(crate) struct TurnSubagents<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) session: &'a Session,
}

impl SubagentRunner for TurnSubagents<'_> {
    fn answer<'a>(&'a self, task: &'a str) -> SubagentFuture<'a> {
        Box::pin(async move {
            let asked = Message {
                role: Role::User,
                content: vec![ContentBlock::Text(task.to_owned())],
            };
            let messages = [asked];
            let mut request = self.session.settings.request(&messages, &[]);
            request.model = &self.turn.model;
            let said = self.ask(&request).await;
            said.map(ReplyBuilder::text).map_err(|error| error.message)
        })
    }

    fn run<'a>(&'a self, task: &'a SubagentTask) -> SubagentFuture<'a> {
        Box::pin(self.carry_out(task))
    }
}

impl TurnSubagents<'_> {
    /// Asks the model at the turn's expense.
    pub(crate) async fn ask(&self, request: &ModelRequest<'_>) -> Result<ReplyBuilder, ModelError> {
        let (said, usage) = silent_reply(self.session, request).await?;
        self.turn.usage.add(usage);
        Ok(said)
    }
}

/// Asks the model once, in silence: its reply, and what it used.
pub(crate) async fn silent_reply(
    session: &Session,
    request: &ModelRequest<'_>,
) -> Result<(ReplyBuilder, TokenUsage), ModelError> {
    let body = session.model.body(request);
    let patience = session.settings.model_timeout;
    let mut stream = within(patience, session.model.send(body)).await??;
    let mut said = ReplyBuilder::default();
    let mut usage = TokenUsage::default();
    while let Some(chunk) = within(patience, stream.next()).await? {
        let chunk = chunk?;
        if let Chunk::Usage(so_far) = chunk {
            usage = so_far;
        }
        said.add(&chunk);
    }
    Ok((said, usage))
}
