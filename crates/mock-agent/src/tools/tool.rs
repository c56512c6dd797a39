//! What every tool shares: its declaration, the job of one call, the job's context and result.

use super::ToolError;
use super::subagent::SubagentTask;
use super::workspace::Workspace;
use crate::faults::Faults;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::any::Any;
use std::pin::Pin;
use std::rc::Rc;

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) category: Category,
    pub(crate) purpose: &'static str,
    /// JSON Schema of the arguments.
    pub(crate) parameters: fn() -> Value,
    /// Parses the arguments of a call.
    pub(crate) parse: fn(&Value) -> Result<Rc<dyn Job>, serde_json::Error>,
}

/// The kind of effect of a tool, which approval modes use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Category {
    Info,
    Edit,
    Exec,
    Mcp,
}

impl Category {
    pub(crate) const ALL: [Category; 4] = [
        Category::Info,
        Category::Edit,
        Category::Exec,
        Category::Mcp,
    ];

    pub(crate) fn name(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}

/// A tool call with parsed arguments.
pub(crate) trait Job {
    fn describe(&self) -> String;

    /// Runs the call. Dropping the future kills the processes that it started; other effects stay.
    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a>;
}

/// A tool call that ends without a wait.
pub(super) trait InstantJob {
    fn describe(&self) -> String;

    /// Carries the call out.
    ///
    /// # Errors
    /// The first thing that fails, in words for the model.
    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError>;
}

impl<J: InstantJob + 'static> Job for J {
    fn describe(&self) -> String {
        InstantJob::describe(self)
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let result = self.perform(context);
            result.unwrap_or_else(|why| ToolResult::error(why.to_string()))
        })
    }
}

pub(crate) type JobFuture<'a> = Pin<Box<dyn Future<Output = ToolResult> + 'a>>;

#[derive(Clone, Copy)]
pub(crate) struct ToolContext<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) subagents: &'a dyn SubagentRunner,
    pub(crate) faults: &'a Faults,
    /// The listener for the job's output, and the job's number; none without a listener.
    pub(crate) progress: Option<(ProgressListener<'a>, usize)>,
    /// What the protocol's own tools need of its adapter, if it has such tools.
    pub(crate) adapter: Option<&'a dyn Any>,
}

/// Gets the number of a running job, and what the job reports.
pub(crate) type ProgressListener<'a> = &'a dyn Fn(usize, Progress<'_>);

/// What a running job reports.
#[derive(Clone, Copy)]
pub(crate) enum Progress<'a> {
    /// The output that it has written so far.
    Output(&'a str),
    /// What the host shows meanwhile, in the words of the protocol.
    Shown(&'a Value),
    /// A step of a call that it makes to another tool: the call's place, from 1, with its tool and its arguments.
    Nested {
        place: usize,
        tool: &'a str,
        args: &'a Value,
        step: NestedStep<'a>,
    },
}

/// A step of a call that a tool makes.
#[derive(Clone, Copy)]
pub(crate) enum NestedStep<'a> {
    Started,
    Output(&'a str),
    Ended(&'a ToolResult),
    /// The call is invalid.
    Refused(&'a str),
}

/// Runs tasks in sub-agents.
pub(crate) trait SubagentRunner {
    /// One reply of the model to a task, without tools; or the reason why there is none.
    fn answer<'a>(&'a self, task: &'a str) -> SubagentFuture<'a>;

    /// The last reply of a sub-agent that has tools and reports its progress; or the reason why there is none.
    fn run<'a>(&'a self, task: &'a SubagentTask) -> SubagentFuture<'a>;
}

pub(crate) type SubagentFuture<'a> = Pin<Box<dyn Future<Output = Result<String, String>> + 'a>>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult {
    pub(crate) ok: bool,
    pub(crate) output: ToolOutput,
    /// What the host shows in addition to the output, and the model does not get.
    pub(crate) details: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolOutput {
    Text(String),
    /// A unified diff of the file at this path.
    Diff {
        diff: String,
        path: String,
    },
    Image {
        media_type: String,
        data: String,
    },
}

impl ToolResult {
    /// A success with any output.
    pub(crate) fn output(output: ToolOutput) -> Self {
        ToolResult {
            ok: true,
            output,
            details: None,
        }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::output(ToolOutput::Text(text.into()))
    }

    pub(crate) fn error(text: impl Into<String>) -> Self {
        ToolResult {
            ok: false,
            ..Self::text(text)
        }
    }
}

/// Parses the arguments of a tool whose job they are.
pub(super) fn parse<J: Job + DeserializeOwned + 'static>(
    args: &Value,
) -> Result<Rc<dyn Job>, serde_json::Error> {
    Ok(Rc::new(J::deserialize(args)?))
}
