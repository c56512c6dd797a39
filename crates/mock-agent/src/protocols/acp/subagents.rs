//! Sub-agents as sessions of their own, where the client takes these.

use super::host::AcpHost;
use super::session_tools::message;
use super::state::{text, update_frame};
use super::tools::{Call, NoResult, Ran};
use crate::tools::{Progress, ToolContext, ToolResult};
use serde_json::json;

/// A sub-agent that runs. Dropping it reports its end.
struct Child<'a> {
    host: &'a AcpHost,
    id: String,
    stop: &'static str,
    error: Option<String>,
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        let mut state = json!({ "state": "idle", "stopReason": self.stop });
        if let Some(message) = &self.error {
            state["error"] = json!({ "code": -32603, "message": message });
        }
        self.host.update(
            json!({ "sessionUpdate": "subagent_update", "sessionId": self.id, "state": state }),
        );
    }
}

impl<'a> Child<'a> {
    fn start(host: &'a AcpHost, title: &str) -> Self {
        let id = format!("{}-agent-{}", host.session, host.next_part());
        host.update(json!({
            "sessionUpdate": "subagent_update", "sessionId": id, "title": title, "capabilities": {},
            "state": { "state": "running" }, "cwd": host.cwd,
        }));
        Child {
            host,
            id,
            stop: "cancelled",
            error: None,
        }
    }

    /// Reports a message between the session and its sub-agent.
    fn tell(&self, number: u32, (from, to): (&str, &str), said: &str) {
        self.host.update(json!({
            "sessionUpdate": "session_message", "messageId": format!("{}-message-{number}", self.id),
            "senderSessionId": from, "recipientSessionId": to, "content": [text(said)],
        }));
    }
}

pub(super) async fn spawn(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Ran {
    host.needs("/subagents")?;
    let mut tasks = call.args["tasks"].as_array().cloned().unwrap_or_default();
    if call.args["prompt"].is_string() {
        tasks.insert(0, call.args.clone());
    }
    let (mut answers, mut shown) = (Vec::new(), Vec::new());
    for task in tasks {
        let prompt = task["prompt"].as_str().unwrap_or_default();
        let name = task["name"].as_str().unwrap_or(prompt);
        let mut child = Child::start(host, name);
        child.tell(1, (&host.session, &child.id), prompt);
        let content = json!({ "type": "session", "sessionId": child.id });
        if let Some((listener, n)) = context.progress {
            listener(n, Progress::Shown(&content));
        }
        shown.push(content);
        let answer = context.subagents.answer(prompt).await;
        child.stop = if answer.is_ok() { "end_turn" } else { "error" };
        child.error = answer.as_ref().err().map(ToString::to_string);
        let answer = answer.map_err(|why| NoResult::Failed(format!("{name}: {why}")))?;
        host.outbox
            .send(update_frame(&child.id, message(host, &answer)));
        child.tell(2, (&child.id, &host.session), &answer);
        answers.push(format!("[{name}] {answer}"));
    }
    let details = Some(shown.into());
    Ok(ToolResult {
        details,
        ..ToolResult::text(answers.join("\n"))
    })
}
