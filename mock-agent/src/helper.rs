//! What the model is asked besides the conversation. One kind of sub-agent has the model and no tools, and answers once; for
//! the other see [`super::subagent`].

use super::asking::within;
use super::message::{Block, Message, Role, Usage};
use super::model::{Chunk, ModelError, ModelRequest};
use super::reply::Assembly;
use super::session::Session;
use super::tools::{Delegate, Order};
use super::turn::Turn;
use std::pin::Pin;

/// Has tasks done for a turn, at its expense.
pub(super) struct Helper<'a> {
    pub(super) turn: &'a Turn,
    pub(super) session: &'a Session,
}

impl Delegate for Helper<'_> {
    fn delegate<'a>(
        &'a self,
        task: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + 'a>> {
        Box::pin(async move {
            let asked = Message {
                role: Role::User,
                content: vec![Block::Text(task.to_owned())],
            };
            let messages = [asked];
            let mut request = self.session.settings.request(&messages, &[]);
            request.model = &self.turn.model;
            let said = self.ask(&request).await;
            said.map(Assembly::text).map_err(|error| error.message)
        })
    }

    fn commission<'a>(
        &'a self,
        order: &'a Order,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + 'a>> {
        Box::pin(self.carry_out(order))
    }
}

impl Helper<'_> {
    /// Asks the model at the turn's expense.
    pub(super) async fn ask(&self, request: &ModelRequest<'_>) -> Result<Assembly, ModelError> {
        let (said, usage) = silent_reply(self.session, request).await?;
        self.turn.spending.add(usage);
        Ok(said)
    }
}

/// Asks the model once, in silence: its reply, and what it used.
pub(super) async fn silent_reply(
    session: &Session,
    request: &ModelRequest<'_>,
) -> Result<(Assembly, Usage), ModelError> {
    let body = session.model.body(request);
    let patience = session.settings.patience;
    let mut stream = within(patience, session.model.send(body)).await??;
    let mut said = Assembly::default();
    let mut usage = Usage::default();
    while let Some(chunk) = within(patience, stream.next()).await? {
        let chunk = chunk?;
        if let Chunk::Usage(so_far) = chunk {
            usage = so_far;
        }
        said.take_in(&chunk);
    }
    Ok((said, usage))
}
