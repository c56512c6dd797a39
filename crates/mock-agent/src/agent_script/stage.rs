//! State that all replies of a scripted agent share: the script, gates, the reply in progress, and the commands that replies expect.

use super::{Actions, AgentScript, Conversation, Messages, Received};
use crate::control::Gates;
use crate::os::stdout::Outbox;
use json_matcher::Captures;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use std::time::Duration;
use tokio::task::AbortHandle;

/// The session of a scripted agent.
pub(crate) struct Stage {
    pub(super) outbox: Rc<Outbox>,
    pub(super) gates: Rc<Gates>,
    pub(super) messages: Messages,
    /// How long a gate holds unless the script specifies it.
    usual_gate_timeout: Duration,
    script: RefCell<Rc<AgentScript>>,
    /// Those of the replies that are played, in the order in which they began.
    conversations: RefCell<Vec<Weak<Conversation>>>,
    /// That of the session.
    session: RefCell<Weak<Conversation>>,
    current: RefCell<Option<InProgress>>,
    /// Replies that wait for the one in progress.
    pub(super) queue: RefCell<VecDeque<QueuedReply>>,
    input_ended: Cell<bool>,
}

/// A reply of the script that was played when its command came, and its first names.
pub(super) type QueuedReply = (Rc<Actions>, Captures);

/// The reply in progress.
struct InProgress {
    task: AbortHandle,
    conversation: Rc<Conversation>,
}

impl Stage {
    /// A session that plays a script. `usual_gate_timeout` is how long a gate holds unless the script specifies it.
    pub(crate) fn new(
        outbox: Rc<Outbox>,
        gates: Rc<Gates>,
        messages: Messages,
        usual_gate_timeout: Duration,
        script: AgentScript,
    ) -> Self {
        gates.set_script(Some(script.gates.clone()));
        Stage {
            outbox,
            gates,
            messages,
            usual_gate_timeout,
            script: RefCell::new(Rc::new(script)),
            conversations: RefCell::default(),
            session: RefCell::default(),
            current: RefCell::default(),
            queue: RefCell::default(),
            input_ended: Cell::default(),
        }
    }

    /// The script that answers the next command.
    pub(super) fn script(&self) -> Rc<AgentScript> {
        Rc::clone(&self.script.borrow())
    }

    /// Plays another script from the next command on, but not its actions for the start. Replies to earlier commands go on; a session ends
    /// where it expects its next command.
    pub(crate) fn replace_script(&self, script: AgentScript) {
        if let Some(session) = self.session.take().upgrade() {
            session.end_input();
        }
        self.gates.set_script(Some(script.gates.clone()));
        *self.script.borrow_mut() = Rc::new(script);
    }

    /// How long a gate holds.
    pub(super) fn gate_timeout(&self) -> Duration {
        let of_script = self.script.borrow().gate_timeout;
        of_script.unwrap_or(self.usual_gate_timeout)
    }

    /// The commands that a reply expects, which begins with these names.
    pub(super) fn begin(&self, actions: &Rc<Actions>, names: Captures) -> Rc<Conversation> {
        let expected = Rc::clone(&actions.expected);
        let conversation = Rc::new(Conversation::new(expected, names));
        if self.input_ended.get() {
            conversation.end_input();
        }
        let mut conversations = self.conversations.borrow_mut();
        conversations.retain(|one| one.strong_count() > 0);
        conversations.push(Rc::downgrade(&conversation));
        if Rc::ptr_eq(actions, &self.script.borrow().session) {
            *self.session.borrow_mut() = Rc::downgrade(&conversation);
        }
        conversation
    }

    /// Gives the input of the host to the first reply that expects it. False if none does.
    pub(super) fn offer(&self, received: Received<'_>) -> bool {
        let conversations = self.conversations.borrow();
        let mut open = conversations.iter().filter_map(Weak::upgrade);
        open.any(|conversation| conversation.offer(received))
    }

    /// What the session expects next, and how this differs from it; `None` if it expects nothing more.
    pub(super) fn why_not(&self, received: Received<'_>) -> Option<String> {
        self.session.borrow().upgrade()?.why_not(received)
    }

    /// Whether a reply is in progress.
    pub(super) fn is_busy(&self) -> bool {
        self.current.borrow().is_some()
    }

    /// The names of the reply in progress; none without one.
    pub(super) fn names_in_progress(&self) -> Captures {
        let current = self.current.borrow();
        let names = current
            .as_ref()
            .map(|reply| reply.conversation.names.borrow().clone());
        names.unwrap_or_default()
    }

    pub(super) fn set_in_progress(&self, task: AbortHandle, conversation: Rc<Conversation>) {
        *self.current.borrow_mut() = Some(InProgress { task, conversation });
    }

    /// Notes the end of a task. True if it was the reply in progress.
    pub(super) fn finish(&self, task: tokio::task::Id) -> bool {
        let mut current = self.current.borrow_mut();
        let ended = current.take_if(|reply| reply.task.id() == task);
        ended.is_some()
    }

    /// Stops the reply in progress.
    pub(super) fn stop_reply(&self) {
        if let Some(reply) = self.current.borrow_mut().take() {
            reply.task.abort();
        }
    }

    /// Ends every wait for a command, now and later.
    pub(super) fn end_input(&self) {
        self.input_ended.set(true);
        for conversation in self.conversations.borrow().iter().filter_map(Weak::upgrade) {
            conversation.end_input();
        }
    }
}
