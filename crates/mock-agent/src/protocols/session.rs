//! A running protocol adapter: its state and the session, which the handlers of commands get together.

use crate::core::{Event, Session};
use crate::os::stdin::Input;
use serde_json::Value;
use std::cell::{RefCell, RefMut};
use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;

pub(crate) type LocalFuture = Pin<Box<dyn Future<Output = ()>>>;

/// The state of an adapter, and what the adapter does with events and commands.
pub(crate) trait Protocol: Sized + 'static {
    fn frames(&mut self, event: &Event<'_>) -> Vec<Value>;

    fn take(session: ProtocolSession<'_, Self>, input: Input);

    /// What must be done before the process exits: at once, or with time for what is running.
    fn before_exit(&mut self, _at_once: bool) -> Option<LocalFuture> {
        None
    }
}

/// An adapter of any protocol.
pub(crate) trait Connection {
    fn frames(&self, event: &Event<'_>) -> Vec<Value>;

    fn take(self: Rc<Self>, session: &Rc<Session>, input: Input);

    fn before_exit(&self, at_once: bool) -> Option<LocalFuture>;
}

impl<P: Protocol> Connection for RefCell<P> {
    fn frames(&self, event: &Event<'_>) -> Vec<Value> {
        self.borrow_mut().frames(event)
    }

    fn take(self: Rc<Self>, session: &Rc<Session>, input: Input) {
        let state = &self;
        P::take(ProtocolSession { session, state }, input);
    }

    fn before_exit(&self, at_once: bool) -> Option<LocalFuture> {
        self.borrow_mut().before_exit(at_once)
    }
}

/// A session, and the state of its adapter. The methods of the session can be used like its own.
pub(crate) struct ProtocolSession<'a, P> {
    session: &'a Rc<Session>,
    state: &'a Rc<RefCell<P>>,
}

impl<P> Clone for ProtocolSession<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for ProtocolSession<'_, P> {}

impl<P> Deref for ProtocolSession<'_, P> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session
    }
}

impl<'a, P: Protocol> ProtocolSession<'a, P> {
    /// The session itself, as long as it exists.
    pub(crate) fn core(self) -> &'a Session {
        self.session
    }

    /// The state, for tasks that outlive the command.
    pub(crate) fn shared_state(self) -> &'a Rc<RefCell<P>> {
        self.state
    }

    /// The state. It must be released before the core emits an event.
    pub(crate) fn state(self) -> RefMut<'a, P> {
        self.state.borrow_mut()
    }

    pub(crate) fn send(self, frame: impl Into<Option<Value>>) {
        if let Some(frame) = frame.into() {
            self.session.events.outbox.send(frame);
        }
    }

    /// Runs a task in parallel with the turns, until there are no more commands.
    pub(crate) fn spawn(self, task: impl AsyncFnOnce(ProtocolSession<'_, P>) + 'static) {
        let (session, state) = (Rc::clone(self.session), Rc::clone(self.state));
        tokio::task::spawn_local(async move {
            let (session, state) = (&session, &state);
            tokio::select! {
                biased;
                () = session.wait_until_closed() => {}
                () = task(ProtocolSession { session, state }) => {}
            }
        });
    }
}
