//! `Glob` tool: finds files whose path matches a pattern.

use super::output_limit::truncate;
use super::tool::parse;
use super::{Category, InstantJob, Tool, ToolContext, ToolError, ToolResult, files};
use serde::Deserialize;
use serde_json::json;

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

impl InstantJob for Glob {
    fn describe(&self) -> String {
        format!("Find files matching {}", self.pattern)
    }

    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError> {
        let path = self.path.as_deref().unwrap_or(".");
        let folder = context.workspace.resolve(path)?;
        let pattern = files::glob(&self.pattern)?;
        let matches = |path: &std::path::PathBuf| {
            let inner = path.strip_prefix(&folder).unwrap_or(path);
            pattern.is_match(inner)
        };
        let files = files::walk(&folder);
        let found: Vec<_> = files
            .iter()
            .filter(|path| matches(path))
            .map(|path| context.workspace.relative(path))
            .collect();
        Ok(ToolResult::text(if found.is_empty() {
            "No files found".to_owned()
        } else {
            truncate(found.join("\n"), 0)
        }))
    }
}
