//! `Grep` tool: searches files for lines that match a regular expression.

use super::files::{MAX_FILE_BYTES, glob, read_file, walk};
use super::output_limit::{OUTPUT_LIMIT, truncate};
use super::tool::parse;
use super::{Category, InstantJob, Tool, ToolContext, ToolError, ToolResult};
use globset::GlobMatcher;
use regex::Regex;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;

pub(crate) const TOOL: Tool = Tool {
    name: "Grep",
    category: Category::Info,
    purpose: "Searches the contents of files by a regular expression.",
    parameters: || {
        json!({ "type": "object", "required": ["pattern"], "properties": {
            "pattern": { "type": "string", "description": "The regular expression." },
            "path": { "type": "string", "description": "The file or folder to search; the workspace if left out." },
            "glob": { "type": "string", "description": "Only files that match this pattern." },
        } })
    },
    parse: parse::<Grep>,
};

#[derive(Deserialize)]
struct Grep {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
}

impl InstantJob for Grep {
    fn describe(&self) -> String {
        format!("Search for {}", self.pattern)
    }

    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError> {
        let path = self.path.as_deref().unwrap_or(".");
        let place = context.workspace.resolve(path)?;
        let regex = Regex::new(&self.pattern).map_err(|_| ToolError::Regex {
            pattern: self.pattern.clone(),
        })?;
        let glob = self.glob.as_deref().map(glob).transpose()?;
        let matches = |path: &Path| {
            let inner = path.strip_prefix(&place).unwrap_or(path);
            let name = path.file_name().unwrap_or_default();
            let fits = |glob: &GlobMatcher| glob.is_match(inner) || glob.is_match(name);
            glob.as_ref().is_none_or(fits)
        };
        let mut found = String::new();
        for path in walk(&place).iter().filter(|path| matches(path)) {
            let bytes = read_file(path, MAX_FILE_BYTES).unwrap_or_default();
            let text = String::from_utf8(bytes).unwrap_or_default();
            let shown = context.workspace.relative(path);
            for (i, line) in text.lines().enumerate() {
                if regex.is_match(line) && found.len() <= OUTPUT_LIMIT {
                    found.push_str(&format!("{shown}:{}:{line}\n", i + 1));
                }
            }
        }
        found.pop();
        Ok(ToolResult::text(if found.is_empty() {
            "No matches found".to_owned()
        } else {
            truncate(found, 0)
        }))
    }
}
