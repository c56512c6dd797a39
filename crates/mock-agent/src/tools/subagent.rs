//! `subagent` tool: hands a task to a sub-agent, which has the same tools and reports its progress.

use super::output_limit::truncate;
use super::tool::{Category, Job, JobFuture, SubagentTask, Tool, ToolContext, ToolResult, parse};
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;
use std::time::Duration;

pub(crate) const TOOL: Tool = Tool {
    name: "subagent",
    category: Category::Exec,
    purpose: "Hands a task to a sub-agent and returns its answer.",
    parameters: || {
        json!({ "type": "object", "required": ["task"], "properties": {
            "agent": { "type": "string", "description": "The name of the sub-agent." },
            "system_prompt": { "type": "string", "description": "Its system prompt." },
            "task": { "type": "string", "description": "The task." },
            "model": { "type": "string", "description": "The model to use." },
            "timeout": { "type": "integer", "minimum": 1, "description": "The timeout in seconds." },
        } })
    },
    parse: parse::<Subagent>,
};

const DEFAULT_TIMEOUT: u64 = 300;

#[derive(Deserialize)]
struct Subagent {
    #[serde(alias = "agent_name")]
    agent: Option<String>,
    system_prompt: Option<String>,
    task: String,
    model: Option<String>,
    timeout: Option<u64>,
}

impl Subagent {
    fn task(&self) -> SubagentTask {
        let api_name = |model: &String| match model.split_once('/') {
            Some((_, name)) => name.to_owned(),
            None => model.clone(),
        };
        SubagentTask {
            name: self.agent.clone().unwrap_or_else(|| "subagent".into()),
            system: self.system_prompt.clone(),
            task: self.task.clone(),
            model: self.model.as_ref().map(api_name),
            limit: Duration::from_secs(self.timeout.unwrap_or(DEFAULT_TIMEOUT)),
        }
    }
}

impl Job for Subagent {
    fn describe(&self) -> String {
        format!("Delegate: {}", self.task.lines().next().unwrap_or_default())
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            match context.subagents.run(&self.task()).await {
                Ok(answer) => ToolResult::text(truncate(answer, 0)),
                Err(why) => ToolResult::error(why),
            }
        })
    }
}
