//! Plays the actions of a reply.

use super::expected_commands::Conversation;
use super::script::Action;
use super::stage::Stage;
use json_matcher::render_text;
use std::rc::Rc;

/// A reply that is played.
pub(super) struct Reply {
    pub(super) stage: Rc<Stage>,
    /// The commands that it expects, and its names.
    pub(super) conversation: Rc<Conversation>,
    /// Whether commands wait for its end.
    pub(super) is_main: bool,
}

/// Why a reply ended early.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyEnd {
    /// The script ends the process: the exit status.
    Exit(u8),
    /// It expects a command that does not come any more.
    InputOver,
    /// The script has a mistake that only shows when it is played.
    Failed(String),
}

impl Reply {
    /// Plays actions in order.
    pub(super) async fn play(&self, actions: &[Action]) -> Result<(), ReplyEnd> {
        for action in actions {
            self.perform(action).await?;
        }
        Ok(())
    }

    async fn perform(&self, action: &Action) -> Result<(), ReplyEnd> {
        let Stage { outbox, gates, .. } = &*self.stage;
        let names = &self.conversation.names;
        match action {
            Action::Send(frame) => {
                outbox.ready_for_turn().await;
                let rendered = frame.render(&names.borrow());
                outbox.send(rendered.map_err(|why| ReplyEnd::Failed(why.to_string()))?);
            }
            Action::Write(text) => {
                outbox.ready_for_turn().await;
                let rendered = render_text(text, &names.borrow());
                let text = rendered.map_err(|why| ReplyEnd::Failed(why.to_string()))?;
                outbox.write_bytes(text.into_bytes());
            }
            Action::Pause(length) => outbox.clock().sleep(*length).await,
            Action::Gate(name) => gates.hold(name, self.stage.gate_timeout()).await,
            Action::Release(name) => gates.release(name),
            Action::Expect(index) => {
                if !self.conversation.has_come(*index).await {
                    return Err(ReplyEnd::InputOver);
                }
            }
            Action::EndOfInput => self.conversation.end_of_input().await,
            Action::Stop => {
                if !self.is_main {
                    self.stage.stop_reply();
                }
                self.stage.queue.borrow_mut().clear();
            }
            Action::Exit(status) => return Err(ReplyEnd::Exit(*status)),
        }
        Ok(())
    }
}
