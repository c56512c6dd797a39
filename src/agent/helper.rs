//! What the model is asked besides the conversation. A sub-agent has the model and no tools, and answers once.

use super::asking::within;
use super::message::{Block, Message, Role, Usage};
use super::model::{Chunk, ModelError, ToolSpec};
use super::reply::Assembly;
use super::session::Session;
use super::tools::Delegate;
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
            self.answer(&[asked]).await.map_err(|error| error.message)
        })
    }
}

impl Helper<'_> {
    async fn answer(&self, messages: &[Message]) -> Result<String, ModelError> {
        let (text, usage) = text_of_reply(self.session, messages, &[]).await?;
        self.turn.spending.add(usage);
        Ok(text)
    }
}

/// Asks the model once, in silence: the text of its reply, and what it used.
pub(super) async fn text_of_reply(
    session: &Session,
    messages: &[Message],
    tools: &[ToolSpec],
) -> Result<(String, Usage), ModelError> {
    let settings = &session.settings;
    let body = session.model.body(&settings.request(messages, tools));
    let patience = settings.patience;
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
    Ok((said.text(), usage))
}
