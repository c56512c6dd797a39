//! Plays the actions of a reply.

use super::{Action, Actions, COMMAND, Conversation, Stage};
use json_matcher::render_text;
use std::rc::Rc;

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

/// Plays the actions of a reply in order. Its conversation has the commands that it expects, and its names; commands wait for the end of the
/// main one.
pub(super) async fn play(
    stage: Rc<Stage>,
    actions: Rc<Actions>,
    conversation: Rc<Conversation>,
    is_main: bool,
) -> Result<(), ReplyEnd> {
    let Stage { outbox, gates, .. } = &*stage;
    let names = &conversation.names;
    for action in &actions.list {
        match action {
            Action::Send(frame) => {
                outbox.ready_for_turn().await;
                let step = rendered(frame.render(&names.borrow()))?;
                let message = stage.messages.sent(step, names.borrow().get(COMMAND));
                outbox.send(message.map_err(ReplyEnd::Failed)?);
            }
            Action::Write(text) => {
                outbox.ready_for_turn().await;
                let text = rendered(render_text(text, &names.borrow()))?;
                outbox.write_bytes(text.into_bytes());
            }
            Action::Pause(length) => outbox.clock.sleep(*length).await,
            Action::Gate(name) => gates.hold(name, stage.gate_timeout()).await,
            Action::Release(name) => gates.release(name),
            Action::Expect(index) => {
                if !conversation.has_come(*index).await {
                    return Err(ReplyEnd::InputOver);
                }
            }
            Action::EndOfInput => conversation.end_of_input().await,
            Action::Stop => {
                if !is_main {
                    stage.stop_reply();
                }
                stage.queue.borrow_mut().clear();
            }
            Action::Exit(status) => return Err(ReplyEnd::Exit(*status)),
        }
    }
    Ok(())
}

fn rendered<T, E: ToString>(result: Result<T, E>) -> Result<T, ReplyEnd> {
    result.map_err(|why| ReplyEnd::Failed(why.to_string()))
}
