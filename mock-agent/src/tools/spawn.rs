//! `Spawn`: tasks for other agents, one after the other; each has the model and nothing else.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Spawn",
    category: Category::Exec,
    purpose: "Hands tasks to sub-agents and gives back their answers.",
    parameters: || {
        let task = json!({ "type": "object", "required": ["prompt"], "properties": {
            "name": { "type": "string", "description": "What the sub-agent is called." },
            "prompt": { "type": "string", "description": "The task." },
        } });
        json!({ "type": "object", "properties": {
            "prompt": { "type": "string", "description": "One task." },
            "tasks": { "type": "array", "items": task, "description": "Several tasks." },
        } })
    },
    parse: parse::<Spawn>,
};

/// The most characters of a task that are shown in the description of a call.
const SHOWN: usize = 60;

#[derive(Deserialize)]
#[serde(try_from = "Wish")]
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
struct Wish {
    prompt: Option<String>,
    #[serde(default)]
    tasks: Vec<Task>,
}

impl TryFrom<Wish> for Spawn {
    type Error = &'static str;

    fn try_from(wish: Wish) -> Result<Self, Self::Error> {
        let one = wish.prompt.map(|prompt| Task { name: None, prompt });
        let tasks: Vec<_> = one.into_iter().chain(wish.tasks).collect();
        if tasks.is_empty() {
            return Err("no task: give it `prompt` or `tasks`");
        }
        Ok(Spawn { tasks })
    }
}

impl Task {
    fn title(&self) -> String {
        let title = self.name.as_ref().unwrap_or(&self.prompt);
        title.chars().take(SHOWN).collect()
    }
}

impl Job for Spawn {
    fn describe(&self) -> String {
        let titles: Vec<_> = self.tasks.iter().map(Task::title).collect();
        format!("Spawn sub-agent: {}", titles.join(", "))
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let mut answers = Vec::new();
            for task in &self.tasks {
                match cx.delegate.delegate(&task.prompt).await {
                    Ok(answer) => answers.push(match &task.name {
                        Some(name) => format!("[{name}] {answer}"),
                        None => answer,
                    }),
                    Err(why) => return Outcome::error(format!("{}: {why}", task.title())),
                }
            }
            Outcome::text(clip(answers.join("\n"), 0))
        })
    }
}
