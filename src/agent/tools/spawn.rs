//! `Spawn`: a task for another agent, which has the model and nothing else.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use crate::agent::approval::Category;
use crate::agent::event::Outcome;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "Spawn",
    category: Category::Exec,
    purpose: "Hands a task to a sub-agent and gives back its answer.",
    parameters: || {
        json!({ "type": "object", "required": ["prompt"], "properties": {
            "prompt": { "type": "string", "description": "The task." },
            "description": { "type": "string", "description": "The task in a few words." },
        } })
    },
    parse: parse::<Spawn>,
};

/// The longest task that is shown in full in the description of a call.
const SHOWN: usize = 60;

#[derive(Deserialize)]
struct Spawn {
    prompt: String,
    description: Option<String>,
}

impl Job for Spawn {
    fn describe(&self) -> String {
        let task = self.description.as_deref().unwrap_or(&self.prompt);
        let line = task.lines().next().unwrap_or_default();
        format!(
            "Spawn sub-agent: {}",
            line.chars().take(SHOWN).collect::<String>()
        )
    }

    fn run<'a>(&'a self, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            match cx.delegate.delegate(&self.prompt).await {
                Ok(answer) => Outcome::text(clip(answer, 0)),
                Err(why) => Outcome::error(why),
            }
        })
    }
}
