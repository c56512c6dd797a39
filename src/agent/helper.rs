//! A sub-agent: it has the model and no tools, and answers once.

use super::asking::within;
use super::message::{Block, Message, Role, Usage};
use super::model::{Chunk, ModelError};
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
        let settings = &self.session.settings;
        let body = self.session.model.body(&settings.request(messages, &[]));
        let patience = settings.patience;
        let mut stream = within(patience, self.session.model.send(body)).await??;
        let mut said = Assembly::default();
        let mut usage = Usage::default();
        while let Some(chunk) = within(patience, stream.next()).await? {
            let chunk = chunk?;
            if let Chunk::Usage(so_far) = chunk {
                usage = so_far;
            }
            said.take_in(&chunk);
        }
        self.turn.spending.add(usage);
        Ok(said.text())
    }
}
