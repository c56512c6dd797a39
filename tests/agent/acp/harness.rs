//! Helpers for tests of the reference agent in acp@1: a client that answers what a test lets it.

pub(crate) use super::agent_process::{Agent, Setup, tool_call, wait_until_gone};
use serde_json::{Value, json};

/// The client's answer to a request of the agent; none if it does not answer.
pub(crate) type Answer = fn(&Value) -> Option<Value>;

/// An agent with a session.
pub(crate) struct Client {
    pub(crate) agent: Agent,
    pub(crate) session: String,
    pub(crate) answer: Answer,
    requests: u64,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::with_args(&["--acp"])
    }

    /// Starts the agent with a session, for a client with these capabilities.
    pub(crate) fn session(self, capabilities: Value) -> Client {
        let mut client = self.client(capabilities);
        let result = client.result("session/new", client.folder());
        client.session = result["sessionId"].as_str().unwrap().to_owned();
        client
    }

    /// Starts the agent and initializes it.
    pub(crate) fn client(self, capabilities: Value) -> Client {
        let mut client = self.silent();
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        assert_eq!(client.result("initialize", params)["protocolVersion"], 1);
        client
    }

    /// Starts the agent.
    pub(crate) fn silent(self) -> Client {
        Client {
            agent: self.start(),
            session: String::new(),
            answer: |_| Some(json!({ "error": { "code": -32601, "message": "no" } })),
            requests: 0,
        }
    }
}

/// Starts an agent with this model script and a session.
pub(crate) fn start_with_script(replies: &Value) -> Client {
    Setup::new().script(replies).session(json!({}))
}

/// Selects an option of a permission.
pub(crate) fn selected(option: &str) -> Option<Value> {
    Some(json!({ "result": { "outcome": { "outcome": "selected", "optionId": option } } }))
}

impl Client {
    /// The parameters of a session in the folder of the agent.
    pub(crate) fn folder(&self) -> Value {
        json!({ "cwd": self.agent.dir.path(), "mcpServers": [] })
    }

    /// Sends a request; returns its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.requests += 1;
        if !self.session.is_empty() && params.get("sessionId").is_none() {
            params["sessionId"] = json!(self.session);
        }
        let id = self.requests;
        self.agent
            .send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.agent
            .send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// All messages up to and including the response to a request, with the answers of the client.
    pub(crate) fn until_answered(&mut self, id: u64) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let message = self.agent.next();
            let method = message["method"].as_str().unwrap_or_default();
            if method.is_empty() && message["id"] == id {
                messages.push(message);
                return messages;
            }
            if let (false, Some(mut answer)) = (message["id"].is_null(), (self.answer)(&message)) {
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = message["id"].clone();
                self.agent.send(&answer);
            }
            messages.push(message);
        }
    }

    /// The response to a request.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.until_answered(id).pop().unwrap()
    }

    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    pub(crate) fn error_code(&mut self, method: &str, params: Value) -> i64 {
        self.ask(method, params)["error"]["code"].as_i64().unwrap()
    }

    /// Sends a prompt; returns the id of its request.
    pub(crate) fn send_prompt(&mut self, text: &str) -> u64 {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.request("session/prompt", json!({ "prompt": prompt }))
    }

    /// The messages of a whole turn.
    pub(crate) fn turn(&mut self, text: &str) -> Vec<Value> {
        let id = self.send_prompt(text);
        self.until_answered(id)
    }

    /// Cancels the turn of the session.
    pub(crate) fn cancel(&mut self) {
        let params = json!({ "sessionId": self.session });
        self.notify("session/cancel", params);
    }

    /// Waits for an update of this kind, or a request of this method.
    pub(crate) fn wait_for(&mut self, name: &str) {
        self.agent.until_match(|message| kind(message) == name);
    }
}

/// The kind of an update with its status, the method of another message, or why a prompt has ended.
pub(crate) fn kind(message: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let update = &message["params"]["update"];
    match (text(&message["method"]).as_str(), text(&update["status"])) {
        ("session/update", status) if status.is_empty() => text(&update["sessionUpdate"]),
        ("session/update", status) => format!("{} {status}", text(&update["sessionUpdate"])),
        ("", _) => text(&message["result"]["stopReason"]),
        (method, _) => method.to_owned(),
    }
}

/// The kinds of messages, without those that say nothing of the course of a turn.
pub(crate) fn kinds(messages: &[Value]) -> Vec<String> {
    let aside = [
        "usage_update",
        "session_info_update",
        "available_commands_update",
    ];
    let kinds = messages.iter().map(kind);
    kinds
        .filter(|kind| !aside.contains(&kind.as_str()))
        .collect()
}

/// The updates of this kind.
pub(crate) fn updates(messages: &[Value], name: &str) -> Vec<Value> {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    let meant = updates.filter(|update| update["sessionUpdate"] == name);
    meant.cloned().collect()
}
