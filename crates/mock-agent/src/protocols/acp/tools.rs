//! The tools: files and commands through the client where it offers that, and those that are about the session itself.

use super::host::AcpHost;
use super::rpc::RpcError;
use super::{files, session_tools, subagents, terminals};
use crate::tools::{
    BASH, Category, EDIT, GLOB, GREP, Job, JobFuture, READ, SPAWN, Tool, ToolContext, ToolError,
    ToolResult, WRITE,
};
use serde_json::{Value, json};
use std::pin::Pin;
use std::rc::Rc;

/// A tool of the core that can be run through the client, and how.
macro_rules! through_client {
    ($tool:ident, $run:path) => {
        Tool {
            parse: |args| {
                let alone = ($tool.parse)(args)?;
                call(args, Some(alone), |call, host, context| {
                    Box::pin($run(call, host, context))
                })
            },
            ..$tool
        }
    };
}

/// A tool about the session itself: its name, its purpose, the names of its arguments, and how it is run.
macro_rules! about_session {
    ($name:literal, $purpose:literal, $args:literal, $run:path) => {
        Tool {
            name: $name,
            category: Category::Info,
            purpose: $purpose,
            parameters: || {
                let properties = $args.split(' ').map(|name| (name.to_owned(), json!({})));
                json!({ "type": "object", "properties": Value::Object(properties.collect()) })
            },
            parse: |args| call(args, None, |call, host, _| Box::pin($run(call, host))),
        }
    };
}

const SUBAGENTS: Tool = Tool {
    category: Category::Info,
    ..SPAWN
};

#[rustfmt::skip]
pub(super) const TOOLS: &[Tool] = &[
    through_client!(READ, files::read),
    through_client!(WRITE, files::write),
    through_client!(EDIT, files::edit),
    through_client!(BASH, terminals::bash),
    GLOB,
    GREP,
    through_client!(SUBAGENTS, subagents::spawn),
    about_session!("Plan", "Shows a plan: entries, or with a plan_id also Markdown", "entries plan_id markdown path remove", session_tools::plan),
    about_session!("AskUser", "Asks the user to fill in a form, or to open a URL", "message schema url", session_tools::ask),
    about_session!("Notify", "Shows a notice to the user", "severity title description", session_tools::notify),
    about_session!("SetMode", "Changes the mode of the session", "mode", session_tools::set_mode),
    about_session!("Rename", "Changes the title of the session", "title", session_tools::rename),
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

/// Why a call has no result.
pub(super) enum NoResult {
    /// The client has not declared what the call needs.
    NotDeclared,
    Failed(String),
}

impl From<RpcError> for NoResult {
    fn from(why: RpcError) -> Self {
        NoResult::Failed(why.message)
    }
}

impl From<ToolError> for NoResult {
    fn from(why: ToolError) -> Self {
        NoResult::Failed(why.to_string())
    }
}

impl From<serde_json::Error> for NoResult {
    fn from(why: serde_json::Error) -> Self {
        NoResult::Failed(why.to_string())
    }
}

pub(super) type Ran = Result<ToolResult, NoResult>;

/// A call of a tool that needs the client.
pub(super) struct Call {
    pub(super) args: Value,
    /// The same call without the client.
    pub(super) alone: Option<Rc<dyn Job>>,
    run: Run,
}

type Run =
    for<'a> fn(&'a Call, &'a AcpHost, ToolContext<'a>) -> Pin<Box<dyn Future<Output = Ran> + 'a>>;

type Parsed = Result<Rc<dyn Job>, serde_json::Error>;

/// A call; `alone` is the same without the client.
fn call(args: &Value, alone: Option<Rc<dyn Job>>, run: Run) -> Parsed {
    let args = args.clone();
    Ok(Rc::new(Call { args, alone, run }))
}

impl Call {
    pub(super) fn arg(&self, name: &str) -> &str {
        self.args[name].as_str().unwrap_or_default()
    }
}

impl Job for Call {
    fn describe(&self) -> String {
        let named = ["title", "message", "mode"].map(|name| self.arg(name));
        let named = named.into_iter().find(|text| !text.is_empty());
        match &self.alone {
            Some(alone) => alone.describe(),
            None => named.unwrap_or("Update the plan").to_owned(),
        }
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let host = context.adapter.and_then(|adapter| adapter.downcast_ref());
            let ran = match host {
                Some(host) => (self.run)(&self, host, context).await,
                None => Err(NoResult::NotDeclared),
            };
            match (ran, &self.alone) {
                (Ok(result), _) => result,
                (Err(NoResult::Failed(why)), _) => ToolResult::error(why),
                (_, Some(alone)) => Rc::clone(alone).run(context).await,
                (_, None) => ToolResult::error("The client does not support this."),
            }
        })
    }
}
