//! `Spawn` tool: hands tasks to sub-agents, one after the other. Each is one request to the model, without tools.

use super::output_limit::truncate;
use super::tool::{Category, Job, JobFuture, Tool, ToolContext, ToolResult, parse};
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Spawn",
    category: Category::Exec,
    purpose: "Hands tasks to sub-agents and returns their answers.",
    parameters: || {
        let task = json!({ "type": "object", "required": ["prompt"], "properties": {
            "name": { "type": "string", "description": "The name of the sub-agent." },
            "prompt": { "type": "string", "description": "The task." },
        } });
        json!({ "type": "object", "properties": {
            "prompt": { "type": "string", "description": "One task." },
            "tasks": { "type": "array", "items": task, "description": "Several tasks." },
        } })
    },
    parse: parse::<Spawn>,
};

/// The maximum length of a task in the description of a call, in characters.
const TITLE_LENGTH: usize = 60;

#[derive(Deserialize)]
#[serde(try_from = "SpawnArgs")]
struct Spawn {
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    name: Option<String>,
    prompt: String,
}

/// The arguments as written: one task, or several.
#[derive(Deserialize)]
struct SpawnArgs {
    prompt: Option<String>,
    #[serde(default)]
    tasks: Vec<Task>,
}

impl TryFrom<SpawnArgs> for Spawn {
    type Error = &'static str;

    fn try_from(args: SpawnArgs) -> Result<Self, Self::Error> {
        let one = args.prompt.map(|prompt| Task { name: None, prompt });
        let tasks: Vec<_> = one.into_iter().chain(args.tasks).collect();
        if tasks.is_empty() {
            return Err("no task: give it `prompt` or `tasks`");
        }
        Ok(Spawn { tasks })
    }
}

impl Task {
    fn title(&self) -> String {
        let title = self.name.as_ref().unwrap_or(&self.prompt);
        title.chars().take(TITLE_LENGTH).collect()
    }
}

impl Job for Spawn {
    fn describe(&self) -> String {
        let titles: Vec<_> = self.tasks.iter().map(Task::title).collect();
        format!("Spawn sub-agent: {}", titles.join(", "))
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let mut answers = Vec::new();
            for task in &self.tasks {
                match context.subagents.answer(&task.prompt).await {
                    Ok(answer) => answers.push(match &task.name {
                        Some(name) => format!("[{name}] {answer}"),
                        None => answer,
                    }),
                    Err(why) => return ToolResult::error(format!("{}: {why}", task.title())),
                }
            }
            ToolResult::text(truncate(answers.join("\n"), 0))
        })
    }
}
