//! The state that all parts of a session share: conversation, model, tools, approvals and counters.

use super::approval::{ApprovalMode, Approvals};
use super::call_ids::CallIds;
use super::conversation::Conversation;
use super::event_sink::EventSink;
use super::prompt_markers::PromptMarkers;
use super::queues::Queues;
use super::settings::SessionSettings;
use crate::faults::{Bug, Faults};
use crate::model::{Endpoint, ModelClient};
use crate::tools::{Toolbox, Workspace};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::Notify;

/// What a session is created from.
pub(crate) struct SessionParts {
    pub(crate) events: EventSink,
    pub(crate) model: ModelClient,
    pub(crate) tools: Toolbox,
    pub(crate) workspace: Workspace,
    pub(crate) settings: SessionSettings,
    pub(crate) mode: ApprovalMode,
    pub(crate) conversation: Conversation,
    pub(crate) faults: Rc<Faults>,
    pub(crate) prompts: PromptMarkers,
}

/// The shared state of a session. Turns, compactions and shell commands work on it.
pub(crate) struct SessionState {
    pub(crate) events: EventSink,
    pub(crate) model: ModelClient,
    pub(crate) tools: Toolbox,
    pub(crate) workspace: Workspace,
    pub(crate) settings: SessionSettings,
    pub(crate) approvals: RefCell<Approvals>,
    pub(crate) conversation: RefCell<Conversation>,
    pub(crate) call_ids: RefCell<CallIds>,
    /// The model of the next turn, by the name of its API.
    pub(crate) model_name: RefCell<String>,
    /// Prompts that the host sends while a turn is running.
    pub(crate) queues: Queues,
    /// Whether a nearly full context is compacted automatically.
    pub(crate) auto_compaction: Cell<bool>,
    /// The tokens of the latest request and its reply; 0 if unknown.
    pub(crate) context_tokens: Cell<u64>,
    /// The number of sub-agents so far.
    pub(super) subagents: Cell<u64>,
    pub(crate) faults: Rc<Faults>,
    pub(crate) prompts: PromptMarkers,
    /// The model was asked before. Only faults go by it.
    pub(super) asked: Cell<bool>,
    /// A turn was stopped before. Only a fault goes by it.
    stopped: Cell<bool>,
    /// The next turn is stopped when it starts. Only a fault sets this.
    pub(super) stops_next_turn: Cell<bool>,
    closed: Cell<bool>,
    on_close: Notify,
}

impl SessionState {
    pub(super) fn new(parts: SessionParts) -> Self {
        SessionState {
            events: parts.events,
            model: parts.model,
            tools: parts.tools,
            workspace: parts.workspace,
            model_name: RefCell::new(parts.settings.model.clone()),
            settings: parts.settings,
            approvals: RefCell::new(Approvals::new(parts.mode)),
            call_ids: RefCell::new(CallIds::of(&parts.conversation.messages)),
            conversation: RefCell::new(parts.conversation),
            queues: Queues::default(),
            auto_compaction: Cell::new(true),
            context_tokens: Cell::new(0),
            subagents: Cell::new(0),
            faults: parts.faults,
            prompts: parts.prompts,
            asked: Cell::default(),
            stopped: Cell::default(),
            stops_next_turn: Cell::default(),
            closed: Cell::new(false),
            on_close: Notify::new(),
        }
    }

    /// Lets the next turns use this model, at this endpoint.
    pub(crate) fn set_model(&self, name: &str, endpoint: Option<&Endpoint>) {
        if *self.model_name.borrow() != name {
            self.forget_turns_if(Bug::ModelChangeForgets);
            self.forget_allowed_if(Bug::ModelForgetsAllowed);
        }
        self.model_name.replace(name.to_owned());
        if let Some(endpoint) = endpoint {
            self.model.set_endpoint(endpoint);
        }
    }

    /// Goes back to the first model, with this bug.
    pub(crate) fn reset_model_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.set_model(&self.settings.model, None);
        }
    }

    /// Forgets the conversation, with this bug.
    pub(crate) fn forget_turns_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.conversation.borrow_mut().messages.clear();
        }
    }

    /// Forgets what is always approved, with this bug.
    pub(super) fn forget_allowed_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.approvals.borrow_mut().forget();
        }
    }

    /// Exits once everything is written, with this bug.
    pub(crate) fn exit_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.events.outbox.exit(0);
        }
    }

    /// Whether a request to stop has no effect because it is not the first. Only a fault does that.
    pub(crate) fn ignores_second_stop(&self) -> bool {
        self.stopped.replace(true) && self.faults.triggers(Bug::StopsOnce)
    }

    /// Whether there are no more commands, so that no call can be approved any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Waits until there are no more commands.
    pub(crate) async fn wait_until_closed(&self) {
        let on_close = self.on_close.notified();
        if !self.is_closed() {
            on_close.await;
        }
    }

    pub(super) fn set_closed(&self) {
        self.closed.set(true);
        self.on_close.notify_waiters();
    }
}
