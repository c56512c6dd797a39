//! Requests of the agent to its client: files, terminals, forms. A request that nobody waits for any more is cancelled.

use super::rpc::{self, RpcError};
use super::state::{AcpState, Pending};
use super::tools::NoResult;
use crate::os::stdout::Outbox;
use crate::protocols::frames::extended;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use tokio::sync::oneshot;

/// The client, as the tools of a session see it.
pub(super) struct AcpHost {
    pub(super) state: Rc<RefCell<AcpState>>,
    pub(super) outbox: Rc<Outbox>,
    pub(super) session: String,
    pub(super) cwd: PathBuf,
}

/// A request whose answer is awaited.
struct OpenRequest<'a> {
    host: &'a AcpHost,
    id: u64,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        let open = self.host.state.borrow_mut().pending.remove(&self.id);
        if open.is_some() {
            self.host.outbox.send(rpc::cancel(self.id));
        }
    }
}

impl AcpHost {
    /// Whether the client has declared the capability at this pointer.
    pub(super) fn can(&self, pointer: &str) -> bool {
        self.state.borrow().can(pointer)
    }

    /// Refuses a call that needs a capability which the client has not declared.
    pub(super) fn needs(&self, pointer: &str) -> Result<(), NoResult> {
        self.can(pointer).then_some(()).ok_or(NoResult::NotDeclared)
    }

    /// The number of the next part of the session that has an id of its own.
    pub(super) fn next_part(&self) -> u64 {
        let mut state = self.state.borrow_mut();
        state.sessions.get_mut(&self.session).map_or(0, |open| {
            open.parts += 1;
            open.parts
        })
    }

    /// The result of a request about this session.
    ///
    /// # Errors
    /// The answer of the client is an error.
    pub(super) async fn request(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let (answer, waiting) = oneshot::channel();
        let id = self.state.borrow_mut().open(Pending::Answer(answer));
        let open = OpenRequest { host: self, id };
        self.outbox.send(self.frame(id, method, params));
        let answer = waiting.await;
        drop(open);
        answer.unwrap_or_else(|_| Err(RpcError::new(-32603, "No answer")))
    }

    /// Sends a request about this session whose answer does not matter.
    pub(super) fn tell(&self, method: &str, params: Value) {
        let id = self.state.borrow_mut().open(Pending::Ignored);
        self.outbox.send(self.frame(id, method, params));
    }

    fn frame(&self, id: u64, method: &str, params: Value) -> Value {
        rpc::request(
            id,
            method,
            extended(json!({ "sessionId": self.session }), params),
        )
    }

    /// Sends an update, if the client takes it.
    pub(super) fn update(&self, update: Value) {
        let frame = self.state.borrow_mut().update(&self.session, update);
        frame.into_iter().for_each(|frame| self.outbox.send(frame));
    }

    /// The absolute path for one in the arguments of a tool.
    pub(super) fn path(&self, path: &str) -> String {
        self.cwd.join(path).to_string_lossy().into_owned()
    }
}
