//! `Write` tool: creates or overwrites a file.

use super::tool::parse;
use super::{Category, InstantJob, Tool, ToolContext, ToolError, ToolResult};
use crate::faults::Bug;
use serde::Deserialize;
use serde_json::json;

pub(crate) const TOOL: Tool = Tool {
    name: "Write",
    category: Category::Edit,
    purpose: "Creates or overwrites a file.",
    parameters: || {
        json!({ "type": "object", "required": ["file_path", "content"], "properties": {
            "file_path": { "type": "string", "description": "The file; missing folders are created." },
            "content": { "type": "string", "description": "The whole text of the file." },
        } })
    },
    parse: parse::<Write>,
};

#[derive(Deserialize)]
pub(crate) struct Write {
    pub(crate) file_path: String,
    pub(crate) content: String,
    /// The text of the result of a success.
    #[serde(skip, default = "in_short")]
    pub(crate) result: fn(&Write) -> String,
}

fn in_short() -> fn(&Write) -> String {
    |_| "File written successfully".into()
}

impl InstantJob for Write {
    fn describe(&self) -> String {
        format!("Write to {}", self.file_path)
    }

    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError> {
        let path = context.workspace.resolve(&self.file_path)?;
        let failed = ToolError::of_file::<std::io::Error>(&self.file_path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(&failed)?;
        }
        let mut content = self.content.clone();
        if context.faults.triggers(Bug::WriteAddsNewline) {
            content.push('\n');
        }
        if path.exists() && context.faults.triggers(Bug::WriteAppends) {
            content.insert_str(0, &std::fs::read_to_string(&path).map_err(&failed)?);
        }
        std::fs::write(path, content).map_err(failed)?;
        Ok(ToolResult::text((self.result)(self)))
    }
}
