//! `subagent` tool: hands a task to a sub-agent, which has the same tools and reports its progress.

use super::output_limit::truncate;
use super::tool::parse;
use super::{Category, Job, JobFuture, Tool, ToolContext, ToolResult};
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
    parse: parse::<SubagentTask>,
};

const DEFAULT_TIMEOUT: u64 = 300;

/// A task for a sub-agent.
#[derive(Deserialize)]
pub(crate) struct SubagentTask {
    #[serde(alias = "agent_name")]
    agent: Option<String>,
    /// Its system prompt; the agent's own if left out.
    #[serde(rename = "system_prompt")]
    pub(crate) system: Option<String>,
    pub(crate) task: String,
    model: Option<String>,
    timeout: Option<u64>,
}

impl SubagentTask {
    /// The sub-agent's name.
    pub(crate) fn name(&self) -> &str {
        self.agent.as_deref().unwrap_or("subagent")
    }

    /// Its model, by the name of the model's API; the turn's if left out.
    pub(crate) fn model(&self) -> Option<&str> {
        let model = self.model.as_deref()?;
        Some(model.split_once('/').map_or(model, |(_, name)| name))
    }

    pub(crate) fn limit(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(DEFAULT_TIMEOUT))
    }
}

impl Job for SubagentTask {
    fn describe(&self) -> String {
        format!("Delegate: {}", self.task.lines().next().unwrap_or_default())
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            match context.subagents.run(&self).await {
                Ok(answer) => ToolResult::text(truncate(answer, 0)),
                Err(why) => ToolResult::error(why),
            }
        })
    }
}
