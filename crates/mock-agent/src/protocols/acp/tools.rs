//! The tools: files and commands through the client where it offers that, and those that are about the session itself.

use super::host::AcpHost;
use super::options;
use super::state::text;
use crate::faults::Bug;
use crate::tools::{
    BASH, Category, EDIT, Edit, GLOB, GREP, Job, JobFuture, Progress, READ, Read, SPAWN, Tool,
    ToolContext, ToolError, ToolResult, WRITE, Write, numbered, with_note,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

/// A tool of the core that can be run through the client, and how.
macro_rules! through_client {
    ($tool:ident, $run:ident) => {
        Tool {
            parse: |args| {
                call(args, Some(($tool.parse)(args)?), |call, host, context| {
                    Box::pin($run(call, host, context))
                })
            },
            ..$tool
        }
    };
}

/// A tool about the session itself: its name, its purpose, the names of its arguments, and how it is run.
macro_rules! about_session {
    ($name:literal, $purpose:literal, $args:expr, $run:ident) => {
        Tool {
            name: $name,
            category: Category::Info,
            purpose: $purpose,
            parameters: || object(&$args),
            parse: |args| call(args, None, |call, host, _| Box::pin($run(call, host))),
        }
    };
}

const SUBAGENTS: Tool = Tool {
    category: Category::Info,
    ..SPAWN
};

pub(super) const TOOLS: &[Tool] = &[
    through_client!(READ, read),
    through_client!(WRITE, write),
    through_client!(EDIT, edit),
    through_client!(BASH, bash),
    GLOB,
    GREP,
    through_client!(SUBAGENTS, spawn),
    about_session!(
        "Plan",
        "Shows a plan: entries, or with a plan_id also Markdown",
        ["entries", "plan_id", "markdown", "path", "remove"],
        plan
    ),
    about_session!(
        "AskUser",
        "Asks the user to fill in a form, or to open a URL",
        ["message", "schema", "url"],
        ask
    ),
    about_session!(
        "Notify",
        "Shows a notice to the user",
        ["severity", "title", "description"],
        notify
    ),
    about_session!(
        "SetMode",
        "Changes the mode of the session",
        ["mode"],
        set_mode
    ),
    about_session!(
        "Rename",
        "Changes the title of the session",
        ["title"],
        rename
    ),
];

/// The kind of each tool in the words of the protocol.
pub(super) fn kind(tool: &str) -> &'static str {
    match tool {
        "Read" => "read",
        "Write" | "Edit" => "edit",
        "Bash" => "execute",
        "Glob" | "Grep" => "search",
        "Spawn" | "Plan" => "think",
        "SetMode" => "switch_mode",
        _ => "other",
    }
}

/// The default timeout of a command, in milliseconds.
const TIMEOUT: u64 = 120_000;

/// How much output of a command is kept, in bytes.
const OUTPUT_LIMIT: u64 = 30_000;

/// The schema of arguments with these names.
fn object(names: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": {} });
    for name in names {
        schema["properties"][name] = json!({});
    }
    schema
}

/// A call of a tool that needs the client.
struct Call {
    args: Value,
    /// The same call without the client.
    alone: Option<Rc<dyn Job>>,
    run: Run,
}

type Run = for<'a> fn(&'a Call, &'a AcpHost, ToolContext<'a>) -> CallFuture<'a>;

type CallFuture<'a> = Pin<Box<dyn Future<Output = Option<ToolResult>> + 'a>>;

/// A call; `alone` is the same without the client, where `run` gives no result.
fn call(
    args: &Value,
    alone: Option<Rc<dyn Job>>,
    run: Run,
) -> Result<Rc<dyn Job>, serde_json::Error> {
    let args = args.clone();
    Ok(Rc::new(Call { args, alone, run }))
}

impl Job for Call {
    fn describe(&self) -> String {
        let named = ["title", "message", "mode"].map(|name| self.arg(name));
        let shown = named
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or("Plan");
        self.alone
            .as_ref()
            .map_or_else(|| shown.to_owned(), |alone| alone.describe())
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let host = context.adapter.and_then(|adapter| adapter.downcast_ref());
            let result = match host {
                Some(host) => (self.run)(&self, host, context).await,
                None => None,
            };
            match (result, &self.alone) {
                (Some(result), _) => result,
                (None, Some(alone)) => Rc::clone(alone).run(context).await,
                (None, None) => ToolResult::error("The client does not support this."),
            }
        })
    }
}

impl Call {
    fn arg(&self, name: &str) -> &str {
        self.args[name].as_str().unwrap_or_default()
    }

    /// The absolute path of the file.
    fn file(&self, host: &AcpHost) -> String {
        host.path(self.arg("file_path"))
    }
}

/// A failure with the file of a call.
fn failed(call: &Call, why: impl std::fmt::Display) -> Option<ToolResult> {
    Some(ToolResult::error(format!(
        "{}: {why}",
        call.arg("file_path")
    )))
}

fn outside(why: &ToolError) -> Option<ToolResult> {
    Some(ToolResult::error(why.to_string()))
}

async fn read(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Option<ToolResult> {
    if !host.can("/fs/readTextFile") {
        return None;
    }
    let read = Read::deserialize(&call.args).ok()?;
    if let Err(why) = context.workspace.resolve(&read.file_path) {
        return outside(&why);
    }
    let mut params = json!({ "path": call.file(host) });
    if let Some(first) = read.offset {
        params["line"] = json!(first);
    }
    if let Some(limit) = read.limit {
        params["limit"] = json!(limit);
    }
    match host.request("fs/read_text_file", params).await {
        Ok(result) => {
            let shown = numbered(
                result["content"].as_str().unwrap_or_default().lines(),
                read.offset,
            );
            Some(ToolResult::text(shown))
        }
        Err(why) => failed(call, why.message),
    }
}

/// Writes a whole file, through the client where it offers that. Returns the result with the change.
async fn put(
    call: &Call,
    host: &AcpHost,
    (before, after): (Option<String>, &str),
    said: &str,
) -> Option<ToolResult> {
    let path = call.file(host);
    if host.can("/fs/writeTextFile") {
        let params = json!({ "path": path, "content": after });
        if let Err(why) = host.request("fs/write_text_file", params).await {
            return failed(call, why.message);
        }
    }
    let diff = json!([{ "type": "diff", "path": path, "oldText": before, "newText": after }]);
    Some(ToolResult {
        details: Some(diff),
        ..ToolResult::text(said)
    })
}

async fn write(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Option<ToolResult> {
    let write = Write::deserialize(&call.args).ok()?;
    let real = match context.workspace.resolve(&write.file_path) {
        Ok(real) => real,
        Err(why) => return outside(&why),
    };
    let before = std::fs::read_to_string(real).ok();
    if !host.can("/fs/writeTextFile") {
        let result = Rc::clone(call.alone.as_ref()?).run(context).await;
        if !result.ok {
            return Some(result);
        }
    }
    put(
        call,
        host,
        (before, &write.content),
        "File written successfully",
    )
    .await
}

async fn edit(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Option<ToolResult> {
    let edit = Edit::parse(&call.args, |_, _, _| ToolResult::text("")).ok()?;
    let real = match context.workspace.resolve(&edit.file_path) {
        Ok(real) => real,
        Err(why) => return outside(&why),
    };
    let before = if host.can("/fs/readTextFile") {
        let read = host
            .request("fs/read_text_file", json!({ "path": call.file(host) }))
            .await;
        read.map(|result| result["content"].as_str().unwrap_or_default().to_owned())
            .map_err(|why| why.message)
    } else {
        std::fs::read_to_string(&real).map_err(|why| why.to_string())
    };
    let before = match before {
        Ok(before) => before,
        Err(why) => return failed(call, why),
    };
    let after = match edit.replaced(&before, context.faults) {
        Ok(after) => after,
        Err(why) => return failed(call, why),
    };
    if !host.can("/fs/writeTextFile")
        && let Err(why) = std::fs::write(&real, &after)
    {
        return failed(call, why);
    }
    put(call, host, (Some(before), &after), "The file was edited").await
}

/// A terminal of the client. Dropping it kills its command and releases it.
struct Terminal<'a> {
    host: &'a AcpHost,
    id: Value,
    is_released: bool,
}

impl Terminal<'_> {
    fn params(&self) -> Value {
        json!({ "terminalId": self.id })
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        if !self.is_released {
            self.host.tell("terminal/kill", self.params());
            self.host.tell("terminal/release", self.params());
        }
    }
}

async fn bash(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Option<ToolResult> {
    if !host.can("/terminal") {
        return None;
    }
    let run = run_in_terminal(call, host, context).await;
    Some(
        run.unwrap_or_else(|why| {
            ToolResult::error(format!("The terminal failed: {}", why.message))
        }),
    )
}

async fn run_in_terminal(
    call: &Call,
    host: &AcpHost,
    context: ToolContext<'_>,
) -> Result<ToolResult, super::RpcError> {
    let command = json!({
        "command": "sh", "args": ["-c", call.arg("command")], "cwd": host.cwd, "outputByteLimit": OUTPUT_LIMIT,
    });
    let created = host.request("terminal/create", command).await?;
    let is_kept = context.faults.triggers(Bug::TerminalNotReleased);
    let mut terminal = Terminal {
        host,
        id: created["terminalId"].clone(),
        is_released: is_kept,
    };
    let shown = json!({ "type": "terminal", "terminalId": terminal.id });
    if let Some((listener, n)) = context.progress {
        listener(n, Progress::Shown(&shown));
    }
    let limit = Duration::from_millis(call.args["timeout"].as_u64().unwrap_or(TIMEOUT));
    let exited = tokio::time::timeout(
        limit,
        host.request("terminal/wait_for_exit", terminal.params()),
    )
    .await;
    if exited.is_err() {
        host.request("terminal/kill", terminal.params()).await?;
    }
    let output = host.request("terminal/output", terminal.params()).await?;
    if !is_kept {
        terminal.is_released = true;
        host.request("terminal/release", terminal.params()).await?;
    }
    let mut said = output["output"].as_str().unwrap_or_default().to_owned();
    if output["truncated"] == true {
        said.insert_str(0, "[The beginning of the output is left out]\n");
    }
    let status = exited.unwrap_or_else(|_| Ok(json!({})))?;
    let note = match (status["exitCode"].as_i64(), status["signal"].as_str()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("[exit status {code}]")),
        (None, Some(signal)) => Some(format!("[killed by signal {signal}]")),
        (None, None) => Some(format!("[killed after {} s]", limit.as_secs_f64())),
    };
    let is_success = note.is_none();
    Ok(ToolResult {
        ok: is_success,
        details: Some(json!([shown])),
        ..ToolResult::text(note.map_or(said.clone(), |note| with_note(&said, &note)))
    })
}

async fn plan(call: &Call, host: &AcpHost) -> Option<ToolResult> {
    let args = &call.args;
    let entries = args["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| {
            let member =
                |name: &str, default: &str| entry[name].as_str().unwrap_or(default).to_owned();
            json!({
                "content": member("content", ""), "priority": member("priority", "medium"),
                "status": member("status", "pending"),
            })
        });
    let entries: Vec<_> = entries.collect();
    let id = &args["plan_id"];
    let update = if id.is_null() {
        json!({ "sessionUpdate": "plan", "entries": entries })
    } else if args["remove"] == true {
        json!({ "sessionUpdate": "plan_removed", "planId": id })
    } else {
        let mut plan = json!({ "planId": id, "type": "items", "entries": entries });
        if args["markdown"].is_string() {
            plan = json!({ "planId": id, "type": "markdown", "content": args["markdown"] });
            if args["path"].is_string() {
                plan["path"] = json!(host.path(call.arg("path")));
            }
        }
        json!({ "sessionUpdate": "plan_update", "plan": plan })
    };
    if !id.is_null() && !host.can("/plan") {
        return None;
    }
    host.update(update);
    Some(ToolResult::text("The plan was updated"))
}

async fn ask(call: &Call, host: &AcpHost) -> Option<ToolResult> {
    let message = call.arg("message");
    let url = call.args["url"].as_str();
    let number = host
        .state
        .borrow_mut()
        .sessions
        .get_mut(&host.session)
        .map(|open| {
            open.parts += 1;
            open.parts
        });
    let elicitation = format!("{}-{}", host.session, number.unwrap_or_default());
    let params = match url {
        Some(url) if host.can("/elicitation/url") => {
            json!({ "mode": "url", "message": message, "elicitationId": elicitation, "url": url })
        }
        None if host.can("/elicitation/form") => {
            json!({ "mode": "form", "message": message, "requestedSchema": call.args["schema"] })
        }
        _ => return None,
    };
    let answer = match host.request("elicitation/create", params).await {
        Ok(answer) => answer,
        Err(why) => {
            return Some(ToolResult::error(format!(
                "The form failed: {}",
                why.message
            )));
        }
    };
    if answer["action"] != "accept" {
        let what = if answer["action"] == "decline" {
            "declined"
        } else {
            "dismissed"
        };
        return Some(ToolResult::error(format!("The user {what} the question")));
    }
    if url.is_some() {
        let params = json!({ "elicitationId": elicitation });
        host.outbox
            .send(super::rpc::notification("elicitation/complete", params));
        return Some(ToolResult::text("The user opened the URL"));
    }
    Some(ToolResult::text(answer["content"].to_string()))
}

async fn notify(call: &Call, host: &AcpHost) -> Option<ToolResult> {
    let title = call.arg("title");
    if host.can("/session/notices") {
        let severity = call.args["severity"].as_str().unwrap_or("info");
        let mut notice = json!({ "sessionUpdate": "notice", "severity": severity, "title": title });
        if call.args["description"].is_string() {
            notice["description"] = call.args["description"].clone();
        }
        host.update(notice);
    } else {
        say(host, &host.session, title);
    }
    Some(ToolResult::text("The notice was shown"))
}

/// Sends a whole message of the agent in a session or in a sub-agent of it.
fn say(host: &AcpHost, session: &str, said: &str) {
    let message = host
        .state
        .borrow_mut()
        .sessions
        .get_mut(&host.session)
        .map(|open| open.next_message());
    let chunk = json!({ "sessionUpdate": "agent_message_chunk", "messageId": message, "content": text(said) });
    if session == host.session {
        host.update(chunk);
    } else {
        host.outbox.send(super::state::update_frame(session, chunk));
    }
}

async fn set_mode(call: &Call, host: &AcpHost) -> Option<ToolResult> {
    Some(
        match options::set(&host.state, &host.session, "mode", &call.args["mode"]) {
            Ok(updates) => {
                updates
                    .into_iter()
                    .for_each(|frame| host.outbox.send(frame));
                ToolResult::text(format!("The mode is {}", call.arg("mode")))
            }
            Err(why) => ToolResult::error(why.message),
        },
    )
}

async fn rename(call: &Call, host: &AcpHost) -> Option<ToolResult> {
    let title = call.arg("title");
    if let Some(open) = host.state.borrow_mut().sessions.get_mut(&host.session) {
        open.title = Some(title.to_owned());
    }
    host.update(json!({ "sessionUpdate": "session_info_update", "title": title }));
    Some(ToolResult::text("The session was renamed"))
}

/// A sub-agent that runs. Dropping it reports that it was cancelled.
struct Child<'a> {
    host: &'a AcpHost,
    id: String,
    stop: &'static str,
}

impl Drop for Child<'_> {
    fn drop(&mut self) {
        let state = json!({ "state": "idle", "stopReason": self.stop });
        self.host.update(
            json!({ "sessionUpdate": "subagent_update", "sessionId": self.id, "state": state }),
        );
    }
}

async fn spawn(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Option<ToolResult> {
    if !host.can("/subagents") {
        return None;
    }
    let mut tasks = call.args["tasks"].as_array().cloned().unwrap_or_default();
    if call.args["prompt"].is_string() {
        tasks.insert(0, call.args.clone());
    }
    let (mut answers, mut shown) = (Vec::new(), Vec::new());
    for task in tasks {
        let prompt = task["prompt"].as_str().unwrap_or_default();
        let name = task["name"].as_str().unwrap_or(prompt);
        let part = host
            .state
            .borrow_mut()
            .sessions
            .get_mut(&host.session)
            .map(|open| {
                open.parts += 1;
                open.parts
            });
        let id = format!("{}-agent-{}", host.session, part.unwrap_or_default());
        host.update(json!({
            "sessionUpdate": "subagent_update", "sessionId": id, "title": name, "capabilities": {},
            "state": { "state": "running" }, "cwd": host.cwd,
        }));
        let mut child = Child {
            host,
            id: id.clone(),
            stop: "cancelled",
        };
        let message = |number: u64, from: &str, to: &str, said: &str| {
            json!({
                "sessionUpdate": "session_message", "messageId": format!("{id}-message-{number}"),
                "senderSessionId": from, "recipientSessionId": to, "content": [text(said)],
            })
        };
        host.update(message(1, &host.session, &id, prompt));
        shown.push(json!({ "type": "session", "sessionId": id }));
        if let Some((listener, n)) = context.progress {
            shown
                .iter()
                .for_each(|content| listener(n, Progress::Shown(content)));
        }
        match context.subagents.answer(prompt).await {
            Ok(answer) => {
                say(host, &id, &answer);
                host.update(message(2, &id, &host.session, &answer));
                child.stop = "end_turn";
                answers.push(format!("[{name}] {answer}"));
            }
            Err(why) => {
                child.stop = "error";
                return Some(ToolResult::error(format!("{name}: {why}")));
            }
        }
    }
    Some(ToolResult {
        details: Some(shown.into()),
        ..ToolResult::text(answers.join("\n"))
    })
}
