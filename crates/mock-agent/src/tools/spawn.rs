//! `Spawn` tool: hands tasks to sub-agents, one after the other. Each is one request to the model, without tools.

use super::output_limit::truncate;
use super::{Category, Job, JobFuture, Tool, ToolContext, ToolResult};
use serde::Deserialize;
use serde::de::Error;
use serde_json::{Value, json};
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
    parse: Spawn::parse,
};

/// The maximum length of a task in the description of a call, in characters.
const TITLE_LENGTH: usize = 60;

#[derive(Deserialize)]
struct Spawn {
    #[serde(default)]
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    name: Option<String>,
    prompt: String,
}

impl Spawn {
    /// One task, or several.
    fn parse(args: &Value) -> Result<Rc<dyn Job>, serde_json::Error> {
        let mut spawn = Spawn::deserialize(args)?;
        if args.get("prompt").is_some_and(|prompt| !prompt.is_null()) {
            spawn.tasks.insert(0, Task::deserialize(args)?);
        }
        if spawn.tasks.is_empty() {
            Err(Error::custom("no task: give it `prompt` or `tasks`"))
        } else {
            Ok(Rc::new(spawn))
        }
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
