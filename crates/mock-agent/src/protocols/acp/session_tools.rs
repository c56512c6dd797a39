//! The tools that are about the session itself: plans, questions, notices, its mode and its title.

use super::host::AcpHost;
use super::state::text;
use super::tools::{Call, NoResult, Ran};
use super::{options, rpc};
use crate::protocols::frames::{extended, present};
use crate::tools::ToolResult;
use serde_json::{Value, json};

pub(super) async fn plan(call: &Call, host: &AcpHost) -> Ran {
    let args = &call.args;
    let usual = json!({ "content": "", "priority": "medium", "status": "pending" });
    let entries = args["entries"].as_array().into_iter().flatten();
    let entries: Vec<_> = entries
        .map(|entry| extended(usual.clone(), entry.clone()))
        .collect();
    let id = &args["plan_id"];
    if id.is_null() {
        host.update(json!({ "sessionUpdate": "plan", "entries": entries }));
        return Ok(ToolResult::text("The plan was updated"));
    }
    host.needs("/plan")?;
    if args["remove"] == true {
        host.update(json!({ "sessionUpdate": "plan_removed", "planId": id }));
        return Ok(ToolResult::text("The plan was removed"));
    }
    let plan = if args["markdown"].is_string() {
        let path = args["path"].as_str().map(|path| host.path(path));
        present(
            json!({ "type": "markdown", "planId": id, "content": args["markdown"], "path": path }),
        )
    } else {
        json!({ "type": "items", "planId": id, "entries": entries })
    };
    host.update(json!({ "sessionUpdate": "plan_update", "plan": plan }));
    Ok(ToolResult::text("The plan was updated"))
}

pub(super) async fn ask(call: &Call, host: &AcpHost) -> Ran {
    let url = call.args["url"].as_str();
    host.needs(if url.is_some() {
        "/elicitation/url"
    } else {
        "/elicitation/form"
    })?;
    let elicitation = format!("{}-{}", host.session, host.next_part());
    let message = call.arg("message");
    let params = match url {
        Some(url) => {
            json!({ "mode": "url", "message": message, "elicitationId": elicitation, "url": url })
        }
        None => {
            json!({ "mode": "form", "message": message, "requestedSchema": call.args["schema"] })
        }
    };
    let answer = host.request("elicitation/create", params).await?;
    match answer["action"].as_str() {
        Some("accept") if url.is_some() => {
            let params = json!({ "elicitationId": elicitation });
            host.outbox
                .send(rpc::notification("elicitation/complete", params));
            Ok(ToolResult::text("The user opened the URL"))
        }
        Some("accept") => Ok(ToolResult::text(answer["content"].to_string())),
        Some("decline") => Err(NoResult::Failed("The user declined to answer".into())),
        _ => Err(NoResult::Failed("The user dismissed the question".into())),
    }
}

pub(super) async fn notify(call: &Call, host: &AcpHost) -> Ran {
    if host.can("/session/notices") {
        let usual = json!({ "sessionUpdate": "notice", "severity": "info" });
        host.update(extended(usual, call.args.clone()));
    } else {
        host.update(message(host, call.arg("title")));
    }
    Ok(ToolResult::text("The notice was shown"))
}

/// A whole message of the agent.
pub(super) fn message(host: &AcpHost, said: &str) -> Value {
    let mut state = host.state.borrow_mut();
    let id = state
        .sessions
        .get_mut(&host.session)
        .map(|open| open.next_message());
    json!({ "sessionUpdate": "agent_message_chunk", "messageId": id, "content": text(said) })
}

pub(super) async fn set_mode(call: &Call, host: &AcpHost) -> Ran {
    let updates = options::set(&host.state, &host.session, "mode", &call.args["mode"])?;
    updates
        .into_iter()
        .for_each(|frame| host.outbox.send(frame));
    Ok(ToolResult::text(format!(
        "The mode is {}",
        call.arg("mode")
    )))
}

pub(super) async fn rename(call: &Call, host: &AcpHost) -> Ran {
    let title = call.arg("title");
    if let Some(open) = host.state.borrow_mut().sessions.get_mut(&host.session) {
        open.title = Some(title.to_owned());
    }
    host.update(json!({ "sessionUpdate": "session_info_update", "title": title }));
    Ok(ToolResult::text("The session was renamed"))
}
