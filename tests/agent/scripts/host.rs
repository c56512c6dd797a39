//! A host that sends prompts, approves every tool call, answers every dialog, and has the agent judged.

use crate::scripts::process::{Agent, Workspace};
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::frame::{Body, Frame, Line};
use serde_json::{Value, json};

/// How a host speaks a protocol.
pub(crate) struct Protocol {
    /// The dialect, `NAME@VERSION`.
    pub(crate) dialect: &'static str,
    pub(crate) args: &'static [&'static str],
    /// Whether the agent greets its host first.
    greets: bool,
    /// Whether each tool call waits for the host.
    pub(crate) asks_before_tools: bool,
    prompt: fn(&str, &str) -> Value,
    /// Whether an event ends the turn of the prompt with an id.
    ends_turn: fn(&Value, &str) -> bool,
    /// A command that is answered at once, where more can follow after such an event.
    probe: Option<&'static str>,
}

fn pi_prompt(id: &str, text: &str) -> Value {
    json!({ "type": "prompt", "id": id, "message": text })
}

fn message(id: &str, text: &str) -> Value {
    json!({ "type": "message", "msg_id": id, "input": text })
}

const AIONRS: Protocol = Protocol {
    dialect: "aionrs@0.1",
    args: &["--json-stream", "--protocol", "0.1"],
    greets: true,
    asks_before_tools: true,
    prompt: message,
    ends_turn: |event, _| event["type"] == "stream_end",
    probe: None,
};

const PI: Protocol = Protocol {
    dialect: "pi@0.87",
    args: &["--mode", "rpc", "--protocol", "0.87"],
    greets: false,
    asks_before_tools: false,
    prompt: pi_prompt,
    ends_turn: |event, _| event["type"] == "agent_settled",
    probe: None,
};

/// Every dialect that the reference agent speaks.
pub(crate) const PROTOCOLS: &[Protocol] = &[
    Protocol {
        dialect: "acp@1",
        args: &["--acp"],
        greets: false,
        asks_before_tools: true,
        prompt: |id, text| {
            let prompt = json!([{ "type": "text", "text": text }]);
            json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": { "prompt": prompt } })
        },
        ends_turn: |event, id| event["id"] == id && event.get("method").is_none(),
        probe: None,
    },
    AIONRS,
    Protocol {
        dialect: "aionrs@0.2",
        args: &["--json-stream", "--protocol", "0.2"],
        prompt: |id, text| json!({ "type": "message", "msg_id": id, "content": text }),
        ..AIONRS
    },
    Protocol {
        dialect: "pi@0.14",
        args: &["--mode", "rpc", "--protocol", "0.14"],
        prompt: |_, text| json!({ "type": "prompt", "message": text }),
        ends_turn: |event, _| event["type"] == "agent_end",
        ..PI
    },
    Protocol {
        dialect: "pi@0.73",
        args: &["--mode", "rpc", "--protocol", "0.73"],
        ends_turn: |event, _| {
            let kind = event["type"].as_str();
            matches!(kind, Some("agent_end" | "compaction_end"))
        },
        probe: Some("get_state"),
        ..PI
    },
    PI,
    Protocol {
        dialect: "pi@1.6",
        args: &["--mode", "rpc", "--protocol", "1.6"],
        ..PI
    },
    Protocol {
        dialect: "synaps@1",
        args: &["rpc"],
        greets: true,
        asks_before_tools: false,
        prompt: pi_prompt,
        ends_turn: |event, id| event["type"] == "response" && event["id"] == id,
        probe: None,
    },
];

/// How a host speaks a dialect.
pub(crate) fn protocol(dialect: &str) -> &'static Protocol {
    let mut all = PROTOCOLS.iter();
    all.find(|one| one.dialect == dialect)
        .expect("a dialect of the reference agent")
}

/// The answer to a dialog of an extension, or to a request for a permission.
fn answer(event: &Value) -> Option<Value> {
    let (member, value) = match event["method"].as_str()? {
        "session/request_permission" => {
            let outcome = json!({ "outcome": "selected", "optionId": "allow-once" });
            let result = json!({ "outcome": outcome });
            return Some(json!({ "jsonrpc": "2.0", "id": event["id"], "result": result }));
        }
        "select" => ("value", event["options"][1].clone()),
        "confirm" => ("confirmed", json!(true)),
        "input" | "editor" => ("value", json!("typed")),
        _ => return None,
    };
    Some(json!({ "type": "extension_ui_response", "id": event["id"], member: value }))
}

/// A host with its agent.
pub(crate) struct Host {
    protocol: &'static Protocol,
    agent: Agent,
    /// Kept until the agent has ended.
    _workspace: Workspace,
    checker: Checker,
    prompts: u32,
    /// The session, if the host starts it.
    session: Option<Value>,
}

impl Protocol {
    /// A workspace in which retries do not wait.
    pub(crate) fn workspace(&self) -> Workspace {
        let workspace = Workspace::new();
        workspace.write(".pi/settings.json", r#"{ "retry": { "baseDelayMs": 1 } }"#);
        workspace
    }
}

impl Host {
    /// Starts the agent with more arguments.
    pub(crate) fn start(protocol: &'static Protocol, workspace: &Workspace, more: &[&str]) -> Self {
        let dialect = load(&DialectSource::default(), protocol.dialect).unwrap();
        let mut host = Host {
            protocol,
            agent: Agent::start(workspace, &[protocol.args, more].concat()),
            checker: Checker::new(dialect, CheckOptions::default()),
            prompts: 0,
            session: None,
            _workspace: workspace.clone(),
        };
        if protocol.greets {
            host.read();
        } else if protocol.dialect == "acp@1" {
            host.start_session(workspace);
        }
        host
    }

    fn start_session(&mut self, workspace: &Workspace) {
        let info = json!({ "name": "host", "version": "1" });
        let first = json!({ "protocolVersion": 1, "clientCapabilities": {}, "clientInfo": info });
        let folder = json!({ "cwd": workspace.path(), "mcpServers": [] });
        for (method, params) in [("initialize", first), ("session/new", folder)] {
            self.send(
                &json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }),
            );
            let response: Value = serde_json::from_str(&self.read()).unwrap();
            self.session = response.pointer("/result/sessionId").cloned();
        }
        self.read();
    }

    fn push(&mut self, body: Body) {
        self.checker.push(&Frame { at: 0, body });
    }

    fn send(&mut self, command: &Value) {
        self.push(Body::ToAgent(Line::new(command.to_string())));
        self.agent.send(command);
    }

    fn read(&mut self) -> String {
        let line = self.agent.read().expect("another event");
        self.push(Body::FromAgent(Line::new(line.as_str())));
        line
    }

    /// Sends a prompt and approves every tool call; returns the lines of the turn, without answers to probes.
    pub(crate) fn prompt(&mut self, text: &str) -> Vec<String> {
        self.prompts += 1;
        let id = format!("m{}", self.prompts);
        let mut prompt = (self.protocol.prompt)(&id, text);
        if let Some(session) = &self.session {
            prompt["params"]["sessionId"] = session.clone();
        }
        self.send(&prompt);
        let mut lines = Vec::new();
        loop {
            let line = self.read();
            // A fault may have spoiled it.
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            lines.push(line);
            if let Some(answer) = answer(&event) {
                self.send(&answer);
            }
            if event["type"] == "tool_request" {
                self.send(&json!({ "type": "tool_approve", "call_id": event["call_id"] }));
            }
            if (self.protocol.ends_turn)(&event, &id) && !self.goes_on(&mut lines) {
                return lines;
            }
        }
    }

    /// Whether the agent goes on although a run has ended: before a retry, or for a compaction.
    fn goes_on(&mut self, lines: &mut Vec<String>) -> bool {
        let Some(probe) = self.protocol.probe else {
            return false;
        };
        self.send(&json!({ "type": probe, "id": "probe" }));
        let mut goes_on = false;
        loop {
            let line = self.read();
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["id"] == "probe" {
                return goes_on;
            }
            let kind = event["type"].as_str().unwrap();
            goes_on = kind.ends_with("_start") || goes_on && !kind.ends_with("_end");
            lines.push(line);
        }
    }

    /// Ends the session; returns the rules that the agent broke.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.push(Body::StdinClosed);
        self.agent.close_stdin();
        while let Some(line) = self.agent.read() {
            self.push(Body::FromAgent(Line::new(line)));
        }
        crate::agent_findings::rules(self.checker)
    }
}
