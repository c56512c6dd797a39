//! `Glob`: the files whose path fits a pattern.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use super::{pattern, walk};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Glob",
    category: Category::Info,
    purpose: "Finds files by a pattern such as **/*.rs.",
    parameters: || {
        json!({ "type": "object", "required": ["pattern"], "properties": {
            "pattern": { "type": "string", "description": "The pattern." },
            "path": { "type": "string", "description": "The folder to search; the workspace if left out." },
        } })
    },
    parse: parse::<Glob>,
};

#[derive(Deserialize)]
struct Glob {
    pattern: String,
    path: Option<String>,
}

impl Job for Glob {
    fn describe(&self) -> String {
        format!("Find files matching {}", self.pattern)
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            self.find(cx)
                .map_or_else(Outcome::error, |found| Outcome::text(clip(found, 0)))
        })
    }
}

impl Glob {
    fn find(&self, cx: Cx<'_>) -> Result<String, String> {
        let folder = cx.workspace.resolve(self.path.as_deref().unwrap_or("."))?;
        let pattern = pattern::compile(&self.pattern)?;
        let fits = |path: &std::path::PathBuf| {
            let inner = path.strip_prefix(&folder).unwrap_or(path);
            pattern.is_match(&inner.to_string_lossy())
        };
        let found = walk::files(&folder);
        let found: Vec<_> = found
            .iter()
            .filter(|path| fits(path))
            .map(|path| cx.workspace.relative(path))
            .collect();
        Ok(if found.is_empty() {
            "No files found".into()
        } else {
            found.join("\n")
        })
    }
}
