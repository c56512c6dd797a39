//! The model client: sends a request to the model's backend and streams its reply.

use super::effort::Effort;
use super::error::ModelError;
use super::http_client::Endpoint;
use super::reply_stream::ReplyStream;
use super::request::ModelRequest;
use super::scripted::ScriptedModel;
use super::wires;
use mock_provider::Wire;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A model, the wire that it is asked on, and how much it thinks.
pub(crate) struct ModelClient {
    wire: Cell<Wire>,
    /// None: requests do not mention it.
    effort: Cell<Option<Effort>>,
    backend: RefCell<Backend>,
}

/// Where replies come from.
#[derive(Clone)]
pub(crate) enum Backend {
    Scripted(Rc<ScriptedModel>),
    /// An API over HTTP. The scripted model plays the scripts that prompts ask for.
    Http(Endpoint, Rc<ScriptedModel>),
}

impl ModelClient {
    pub(crate) fn new(wire: Wire, backend: Backend) -> Self {
        ModelClient {
            wire: Cell::new(wire),
            effort: Cell::new(None),
            backend: RefCell::new(backend),
        }
    }

    /// Sends requests to another endpoint from now on. No effect on a scripted model.
    pub(crate) fn set_endpoint(&self, endpoint: &Endpoint) {
        if let Backend::Http(current, _) = &mut *self.backend.borrow_mut() {
            current.clone_from(endpoint);
        }
    }

    /// Uses another wire from now on.
    pub(crate) fn set_wire(&self, wire: Wire) {
        self.wire.set(wire);
    }

    /// Sets how much the model thinks from now on; with none, requests do not mention it.
    pub(crate) fn set_effort(&self, effort: Option<Effort>) {
        self.effort.set(effort);
    }

    /// The JSON body of a request, on the current wire.
    pub(crate) fn body(&self, request: &ModelRequest<'_>) -> Value {
        let wire = self.wire.get();
        let mut body = wires::request_body(wire, request);
        if let Some(effort) = self.effort.get() {
            effort.apply(wire, &mut body);
        }
        body
    }

    /// Sends a request body and waits until the reply begins.
    ///
    /// # Errors
    /// The connection failed, or the model refused the request.
    pub(crate) async fn send(&self, body: Value) -> Result<ReplyStream, ModelError> {
        let backend = self.backend.borrow().clone();
        let wire = self.wire.get();
        match backend {
            Backend::Scripted(model) => model.send(wire, body).await,
            Backend::Http(_, turns) if turns.plays_script_of_prompt() => {
                turns.send(wire, body).await
            }
            Backend::Http(endpoint, turns) => {
                let body = endpoint.send(wire, body).await?;
                Ok(turns.paced(wire, body))
            }
        }
    }
}
