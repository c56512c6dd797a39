//! Plays the actions of a reply.

use super::expression::Expression;
use super::script::{Action, Awaited, Capture};
use super::stage::Stage;
use json_matcher::Captures;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

/// A reply that is played.
pub(super) struct Reply {
    pub(super) stage: Rc<Stage>,
    /// The names of this reply, besides the variables of the session.
    pub(super) names: Rc<RefCell<Captures>>,
    /// Whether commands wait for its end.
    pub(super) is_main: bool,
}

/// Why a reply ended early, and with it the process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReplyEnd {
    /// The script says so: the exit status.
    Exit(u8),
    /// The session expects a command that does not come any more.
    SessionOver,
    /// The script has a mistake that only shows when it is played.
    Failed(String),
}

type Played<'a> = Pin<Box<dyn Future<Output = Result<(), ReplyEnd>> + 'a>>;

impl Reply {
    /// Plays actions in order.
    pub(super) fn play<'a>(&'a self, actions: &'a [Action]) -> Played<'a> {
        Box::pin(async move {
            for action in actions {
                self.perform(action).await?;
            }
            Ok(())
        })
    }

    async fn perform(&self, action: &Action) -> Result<(), ReplyEnd> {
        match action {
            Action::Send(frame) => {
                self.stage.outbox.ready_for_turn().await;
                self.stage.outbox.send(self.value(frame)?);
            }
            Action::Write(text) => {
                self.stage.outbox.ready_for_turn().await;
                let text = self.value(text)?;
                let bytes = text.as_str().map(str::to_owned);
                let bytes = bytes.unwrap_or_else(|| text.to_string()).into_bytes();
                self.stage.outbox.write_bytes(bytes);
            }
            Action::Set(values) => {
                for (name, value) in values {
                    let value = self.value(value)?;
                    self.set(name, value);
                }
            }
            Action::Count(name) => {
                let count = self.get(name).and_then(|value| value.as_i64());
                self.set(name, (count.unwrap_or_default() + 1).into());
            }
            Action::ForEach {
                name,
                index,
                list,
                actions,
            } => {
                let Value::Array(items) = self.value(list)? else {
                    return Err(ReplyEnd::Failed(list.error("the value of `in` is no list")));
                };
                for (at, item) in items.into_iter().enumerate() {
                    self.set(name, item);
                    if let Some(index) = index {
                        self.set(index, at.into());
                    }
                    self.play(actions).await?;
                }
            }
            Action::If {
                names,
                actions,
                otherwise,
            } => {
                let known = self.all_names();
                let object: Map<_, _> = known
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value.clone()))
                    .collect();
                let holds = names.matches(&Value::Object(object), &known).is_ok();
                self.play(if holds { actions } else { otherwise }).await?;
            }
            Action::Pause(length) => tokio::time::sleep(*length).await,
            Action::Gate(name) => {
                let timeout = self.stage.gate_timeout();
                self.stage.gates.hold(name, timeout).await;
            }
            Action::Release(name) => self.stage.gates.release(name),
            Action::WaitFor {
                commands,
                timeout,
                on_timeout,
            } => self.wait_for(commands, *timeout, on_timeout).await?,
            Action::Expect(index) => {
                if !self.stage.conversation().has_come(*index).await {
                    return Err(ReplyEnd::SessionOver);
                }
            }
            Action::EndOfInput => self.stage.conversation().end_of_input().await,
            Action::Stop => {
                if !self.is_main {
                    self.stage.stop_reply();
                }
                self.stage.clear_queue();
            }
            Action::Exit(status) => return Err(ReplyEnd::Exit(*status)),
        }
        Ok(())
    }

    async fn wait_for(
        &self,
        commands: &Rc<[Awaited]>,
        timeout: Option<Duration>,
        on_timeout: &[Action],
    ) -> Result<(), ReplyEnd> {
        let wait = self.stage.wait_for(Rc::clone(commands), self.all_names());
        let found = match timeout {
            Some(timeout) => tokio::time::timeout(timeout, wait).await.ok().flatten(),
            None => wait.await,
        };
        let Some(found) = found else {
            return self.play(on_timeout).await;
        };
        let awaited = &commands[found.index];
        for (name, value) in captured(&awaited.capture, &found.command) {
            self.set(name, value);
        }
        self.play(&awaited.actions).await
    }

    /// The names of the session and of this reply.
    fn all_names(&self) -> Captures {
        let mut names = self.stage.variables.borrow().clone();
        names.extend(&self.names.borrow());
        names
    }

    fn get(&self, name: &str) -> Option<Value> {
        let own = self.names.borrow().get(name).cloned();
        own.or_else(|| self.stage.variables.borrow().get(name).cloned())
    }

    /// Sets a variable of the session if there is one of this name, else a name of this reply.
    fn set(&self, name: &str, value: Value) {
        let mut variables = self.stage.variables.borrow_mut();
        if variables.get(name).is_some() {
            variables.set(name, value);
        } else {
            self.names.borrow_mut().set(name, value);
        }
    }

    fn value(&self, expression: &Expression) -> Result<Value, ReplyEnd> {
        let (own, variables) = (self.names.borrow(), self.stage.variables.borrow());
        let lookup = |name: &str| own.get(name).or_else(|| variables.get(name));
        expression.evaluate(&lookup).map_err(ReplyEnd::Failed)
    }
}

/// The names and values that a capture takes from a command.
pub(super) fn captured<'c>(
    capture: &'c Capture,
    command: &'c Value,
) -> impl Iterator<Item = (&'c str, Value)> {
    capture.iter().map(|(name, pointer)| {
        let value = command.pointer(pointer).cloned().unwrap_or_default();
        (name.as_str(), value)
    })
}
