//! Which tools there are, and how a call finds its tool.

use super::workspace::Workspace;
use super::{McpTool, bash, edit, glob, grep, read, spawn, write};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use crate::faults::Faults;
use crate::model::ToolSpec;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

/// A built-in tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) category: Category,
    pub(crate) purpose: &'static str,
    /// JSON Schema of the arguments.
    pub(crate) parameters: fn() -> Value,
    /// Reads the arguments.
    pub(crate) parse: fn(&Value) -> Result<Rc<dyn Job>, serde_json::Error>,
}

/// The tools of an agent whose dialect has no names of its own for them.
pub(crate) const TOOLS: &[Tool] = &[
    read::TOOL,
    write::TOOL,
    edit::TOOL,
    bash::TOOL,
    glob::TOOL,
    grep::TOOL,
    spawn::TOOL,
];

/// A call whose arguments have been understood.
pub(crate) trait Job {
    /// What it would do, in one line.
    fn describe(&self) -> String;

    /// Does it. Dropping the future undoes nothing, but ends what it started.
    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a>;
}

/// A job at work.
pub(crate) type JobFuture<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// What a job may use.
#[derive(Clone, Copy)]
pub(crate) struct Cx<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) delegate: &'a dyn SubagentRunner,
    pub(crate) faults: &'a Faults,
    /// Who is told how the job gets on, and which job it is; none if nobody wants to know.
    pub(crate) progress: Option<(&'a dyn Progress, usize)>,
}

/// Somebody who is told how jobs get on.
pub(crate) trait Progress {
    /// Job number `n` has written so much so far.
    fn tell(&self, n: usize, output: &str);
}

/// Somebody who can have a task done by another agent.
pub(crate) trait SubagentRunner {
    /// The other agent's last words, or why there are none.
    fn delegate<'a>(
        &'a self,
        task: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + 'a>>;

    /// The same, by an agent that may use tools and tells how it is.
    fn commission<'a>(
        &'a self,
        order: &'a SubagentTask,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + 'a>>;
}

/// A task for a sub-agent.
#[derive(Debug, Clone)]
pub(crate) struct SubagentTask {
    /// The sub-agent's name.
    pub(crate) name: String,
    /// What it is told first; what this agent was told if left out.
    pub(crate) system: Option<String>,
    pub(crate) task: String,
    /// The model to ask, as its API knows it; the turn's if left out.
    pub(crate) model: Option<String>,
    /// How long it may take.
    pub(crate) limit: Duration,
}

/// Reads the arguments of a tool.
pub(super) fn parse<J: Job + DeserializeOwned + 'static>(
    args: &Value,
) -> Result<Rc<dyn Job>, serde_json::Error> {
    Ok(Rc::new(J::deserialize(args)?))
}

/// Every tool of a session.
pub(crate) struct Toolbox {
    built_in: &'static [Tool],
    mcp: RefCell<Vec<McpTool>>,
}

/// Why a call cannot even be asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) String);

impl Toolbox {
    pub(crate) fn new(built_in: &'static [Tool], mcp: Vec<McpTool>) -> Self {
        Toolbox {
            built_in,
            mcp: RefCell::new(mcp),
        }
    }

    pub(crate) fn has_mcp(&self) -> bool {
        !self.mcp.borrow().is_empty()
    }

    /// Takes the tools of another server in.
    pub(crate) fn add(&self, tools: Vec<McpTool>) {
        self.mcp.borrow_mut().extend(tools);
    }

    /// The job that a call asks for.
    pub(crate) fn job(&self, name: &str, args: &Value) -> Result<(Category, Rc<dyn Job>), Refused> {
        if !args.is_object() {
            return Err(Refused(format!(
                "The arguments of {name} are not a JSON object."
            )));
        }
        if let Some(tool) = self.mcp.borrow().iter().find(|tool| tool.name == name) {
            return Ok((Category::Mcp, Rc::new(tool.call(args))));
        }
        let Some(tool) = self.built_in.iter().find(|tool| tool.name == name) else {
            return Err(Refused(format!("There is no tool named {name:?}.")));
        };
        let job = (tool.parse)(args)
            .map_err(|error| Refused(format!("The arguments of {name} do not fit: {error}.")))?;
        Ok((tool.category, job))
    }

    /// What the model is told.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let built_in = self.built_in.iter().map(|tool| ToolSpec {
            name: tool.name.to_owned(),
            purpose: tool.purpose.to_owned(),
            parameters: (tool.parameters)(),
        });
        let mcp = self.mcp.borrow();
        built_in.chain(mcp.iter().map(McpTool::spec)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_tool_has_the_category_of_what_it_does() {
        let box_ = Toolbox::new(TOOLS, Vec::new());
        let call = |name: &str, args| box_.job(name, &args).map(|(category, _)| category.name());

        assert_eq!(call("Read", json!({ "file_path": "a" })), Ok("info"));
        assert_eq!(call("Glob", json!({ "pattern": "*" })), Ok("info"));
        assert_eq!(call("Grep", json!({ "pattern": "x" })), Ok("info"));
        let write = json!({ "file_path": "a", "content": "" });
        assert_eq!(call("Write", write), Ok("edit"));
        let edit = json!({ "file_path": "a", "old_string": "x", "new_string": "y" });
        assert_eq!(call("Edit", edit), Ok("edit"));
        assert_eq!(call("Bash", json!({ "command": "true" })), Ok("exec"));
        assert_eq!(call("Spawn", json!({ "prompt": "p" })), Ok("exec"));
    }

    #[test]
    fn a_call_that_cannot_work_is_refused_with_the_reason() {
        let box_ = Toolbox::new(TOOLS, Vec::new());
        let refused = |name: &str, args| box_.job(name, &args).err().expect("refused").0;

        assert_eq!(refused("Fly", json!({})), "There is no tool named \"Fly\".");
        assert_eq!(
            refused("Read", json!({})),
            "The arguments of Read do not fit: missing field `file_path`."
        );
        assert_eq!(
            refused("Read", json!([])),
            "The arguments of Read are not a JSON object."
        );
    }
}
