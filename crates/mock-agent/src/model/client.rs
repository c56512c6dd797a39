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

/// A model, its wire, and its reasoning effort.
pub(crate) struct ModelClient {
    pub(crate) wire: Cell<Wire>,
    /// None: requests do not mention it.
    pub(crate) effort: Cell<Option<Effort>>,
    /// The API over HTTP; none if all replies are scripted.
    endpoint: RefCell<Option<Endpoint>>,
    /// The model in this process. If the model is an API, it plays the scripts that prompts request.
    pub(crate) scripted: Rc<ScriptedModel>,
}

impl ModelClient {
    pub(crate) fn new(wire: Wire, endpoint: Option<Endpoint>, scripted: Rc<ScriptedModel>) -> Self {
        ModelClient {
            wire: Cell::new(wire),
            effort: Cell::new(None),
            endpoint: RefCell::new(endpoint),
            scripted,
        }
    }

    /// The same model for another session.
    pub(crate) fn of_another_session(&self) -> Self {
        let scripted = Rc::new(self.scripted.of_another_session());
        ModelClient::new(self.wire.get(), self.endpoint.borrow().clone(), scripted)
    }

    /// Sends requests to another endpoint from now on. No effect on a scripted model.
    pub(crate) fn set_endpoint(&self, endpoint: &Endpoint) {
        if let Some(current) = &mut *self.endpoint.borrow_mut() {
            current.clone_from(endpoint);
        }
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
        let (wire, scripted) = (self.wire.get(), &self.scripted);
        let endpoint = self.endpoint.borrow().clone();
        match endpoint.filter(|_| !scripted.plays_script_of_prompt()) {
            Some(endpoint) => Ok(scripted.paced(wire, endpoint.send(wire, body).await?)),
            None => scripted.send(wire, body).await,
        }
    }
}
