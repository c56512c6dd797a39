//! State that all replies of a scripted agent share: variables, gates, the reply in progress, and waits for commands.

use super::conversation::Conversation;
use super::script::{AgentScript, Awaited, Part};
use crate::control::Gates;
use crate::os::stdout::Outbox;
use json_matcher::Captures;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// The shared state.
pub(super) struct Stage {
    pub(super) outbox: Rc<Outbox>,
    pub(super) gates: Rc<Gates>,
    /// How long a gate holds unless the script says otherwise.
    usual_gate_timeout: Duration,
    script: RefCell<Rc<AgentScript>>,
    conversation: RefCell<Rc<Conversation>>,
    /// The variables of the session.
    pub(super) variables: RefCell<Captures>,
    current: RefCell<Option<InProgress>>,
    queue: RefCell<VecDeque<QueuedReply>>,
    waits: RefCell<Vec<PendingWait>>,
    input_ended: Cell<bool>,
}

/// A reply that waits for the one in progress, of the script that was played when its command came.
pub(super) struct QueuedReply {
    pub(super) script: Rc<AgentScript>,
    pub(super) part: Part,
    pub(super) names: Captures,
}

/// The reply in progress.
struct InProgress {
    task: AbortHandle,
    names: Rc<RefCell<Captures>>,
}

/// A reply that waits for a command.
struct PendingWait {
    commands: Rc<[Awaited]>,
    names: Captures,
    sender: oneshot::Sender<AwaitedCommand>,
}

/// A command that ended a wait, and which of the awaited ones it is.
pub(super) struct AwaitedCommand {
    pub(super) index: usize,
    pub(super) command: Value,
}

impl Stage {
    pub(super) fn new(
        outbox: Rc<Outbox>,
        gates: Rc<Gates>,
        usual_gate_timeout: Duration,
        script: AgentScript,
    ) -> Self {
        Stage {
            outbox,
            gates,
            usual_gate_timeout,
            variables: RefCell::new(first_values(&script)),
            conversation: RefCell::new(Rc::new(Conversation::new(Rc::clone(&script.expected)))),
            script: RefCell::new(Rc::new(script)),
            current: RefCell::default(),
            queue: RefCell::default(),
            waits: RefCell::default(),
            input_ended: Cell::default(),
        }
    }

    /// The script that answers the next command.
    pub(super) fn script(&self) -> Rc<AgentScript> {
        Rc::clone(&self.script.borrow())
    }

    /// The commands that the session expects.
    pub(super) fn conversation(&self) -> Rc<Conversation> {
        Rc::clone(&self.conversation.borrow())
    }

    /// Plays another script from the next command on, with its variables. Replies to earlier commands go on; a session ends where it expects
    /// its next command.
    pub(super) fn replace_script(&self, script: AgentScript) {
        self.conversation().end_input();
        *self.conversation.borrow_mut() = Rc::new(Conversation::new(Rc::clone(&script.expected)));
        *self.variables.borrow_mut() = first_values(&script);
        *self.script.borrow_mut() = Rc::new(script);
    }

    /// How long a gate holds.
    pub(super) fn gate_timeout(&self) -> Duration {
        let of_script = self.script.borrow().gate_timeout;
        of_script.unwrap_or(self.usual_gate_timeout)
    }

    /// Whether a reply is in progress.
    pub(super) fn is_busy(&self) -> bool {
        self.current.borrow().is_some()
    }

    /// The names of the reply in progress; none without one.
    pub(super) fn names_in_progress(&self) -> Captures {
        let current = self.current.borrow();
        let names = current.as_ref().map(|reply| reply.names.borrow().clone());
        names.unwrap_or_default()
    }

    pub(super) fn set_in_progress(&self, task: AbortHandle, names: Rc<RefCell<Captures>>) {
        *self.current.borrow_mut() = Some(InProgress { task, names });
    }

    /// Notes the end of a task. True if it was the reply in progress.
    pub(super) fn finish(&self, task: tokio::task::Id) -> bool {
        let mut current = self.current.borrow_mut();
        let is_current = current
            .as_ref()
            .is_some_and(|reply| reply.task.id() == task);
        if is_current {
            *current = None;
        }
        is_current
    }

    /// Stops the reply in progress.
    pub(super) fn stop_reply(&self) {
        if let Some(reply) = self.current.borrow_mut().take() {
            reply.task.abort();
        }
    }

    /// Drops the commands that wait for the reply in progress.
    pub(super) fn clear_queue(&self) {
        self.queue.borrow_mut().clear();
    }

    pub(super) fn enqueue(&self, reply: QueuedReply) {
        self.queue.borrow_mut().push_back(reply);
    }

    pub(super) fn dequeue(&self) -> Option<QueuedReply> {
        self.queue.borrow_mut().pop_front()
    }

    /// Waits for one of these commands. `None` if input has ended.
    pub(super) async fn wait_for(
        &self,
        commands: Rc<[Awaited]>,
        names: Captures,
    ) -> Option<AwaitedCommand> {
        if self.input_ended.get() {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        self.waits.borrow_mut().push(PendingWait {
            commands,
            names,
            sender,
        });
        receiver.await.ok()
    }

    /// Gives a command to the first wait that it ends.
    ///
    /// # Errors
    /// No reply waits for it: the command comes back.
    pub(super) fn offer(&self, command: Value) -> Result<(), Value> {
        let mut waits = self.waits.borrow_mut();
        waits.retain(|wait| !wait.sender.is_closed());
        let found = waits.iter().enumerate().find_map(|(place, wait)| {
            let fits = |one: &Awaited| one.on.matches(&command, &wait.names).is_ok();
            let index = wait.commands.iter().position(fits)?;
            Some((place, index))
        });
        let Some((place, index)) = found else {
            return Err(command);
        };
        let wait = waits.remove(place);
        let sent = wait.sender.send(AwaitedCommand { index, command });
        sent.map_err(|unsent| unsent.command)
    }

    /// Ends every wait for a command, now and later.
    pub(super) fn end_input(&self) {
        self.input_ended.set(true);
        self.conversation().end_input();
        self.waits.borrow_mut().clear();
    }
}

/// The variables of a script.
fn first_values(script: &AgentScript) -> Captures {
    let mut variables = Captures::default();
    for (name, value) in &script.variables {
        variables.set(name, value.clone());
    }
    variables
}
