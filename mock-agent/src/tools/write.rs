//! `Write`: a whole file.

use super::read::reason;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use crate::faults::Bug;
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Write",
    category: Category::Edit,
    purpose: "Creates or overwrites a file.",
    parameters: || {
        json!({ "type": "object", "required": ["file_path", "content"], "properties": {
            "file_path": { "type": "string", "description": "The file; missing folders are made." },
            "content": { "type": "string", "description": "All of its text." },
        } })
    },
    parse: parse::<Write>,
};

#[derive(Deserialize)]
pub(crate) struct Write {
    pub(crate) file_path: String,
    pub(crate) content: String,
}

impl Job for Write {
    fn describe(&self) -> String {
        format!("Write to {}", self.file_path)
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            match self.write(cx) {
                Ok(()) => Outcome::text("File written successfully"),
                Err(why) => Outcome::error(why),
            }
        })
    }
}

impl Write {
    fn write(&self, cx: Cx<'_>) -> Result<(), String> {
        let path = cx.workspace.resolve(&self.file_path)?;
        let failed = |error: std::io::Error| format!("{}: {}", self.file_path, reason(&error));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut content = self.content.clone();
        if cx.faults.plays(Bug::WriteAddsNewline) {
            content.push('\n');
        }
        if path.exists() && cx.faults.plays(Bug::WriteAppends) {
            content.insert_str(0, &std::fs::read_to_string(&path).map_err(failed)?);
        }
        std::fs::write(path, content).map_err(failed)
    }
}
