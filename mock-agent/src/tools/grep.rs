//! `Grep`: the lines that fit a regular expression.

use super::output::{LIMIT, clip};
use super::read::load;
use super::registry::{Cx, Job, JobFuture, Tool, parse};
use super::{pattern, walk};
use crate::core::approval::Category;
use crate::core::call::Outcome;
use regex::Regex;
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Grep",
    category: Category::Info,
    purpose: "Searches the contents of files by a regular expression.",
    parameters: || {
        json!({ "type": "object", "required": ["pattern"], "properties": {
            "pattern": { "type": "string", "description": "The regular expression." },
            "path": { "type": "string", "description": "The file or folder to search; the workspace if left out." },
            "glob": { "type": "string", "description": "Only files that fit this pattern." },
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

impl Job for Grep {
    fn describe(&self) -> String {
        format!("Search for {}", self.pattern)
    }

    fn run<'a>(self: Rc<Self>, cx: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            self.search(cx)
                .map_or_else(Outcome::error, |found| Outcome::text(clip(found, 0)))
        })
    }
}

impl Grep {
    fn search(&self, cx: Cx<'_>) -> Result<String, String> {
        let place = cx.workspace.resolve(self.path.as_deref().unwrap_or("."))?;
        let wanted = Regex::new(&self.pattern)
            .map_err(|_| format!("{:?} is not a regular expression", self.pattern))?;
        let glob = self.glob.as_deref().map(pattern::compile).transpose()?;
        let fits = |path: &std::path::Path| {
            let inner = path.strip_prefix(&place).unwrap_or(path).to_string_lossy();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            glob.as_ref()
                .is_none_or(|glob| glob.is_match(&inner) || glob.is_match(&name))
        };
        let files = if place.is_file() {
            vec![place.clone()]
        } else {
            walk::files(&place)
        };
        let mut found = String::new();
        for path in files.iter().filter(|path| fits(path)) {
            let Some(text) = load(path).ok().and_then(|b| String::from_utf8(b).ok()) else {
                continue;
            };
            let shown = cx.workspace.relative(path);
            for (i, line) in text.lines().enumerate() {
                if wanted.is_match(line) && found.len() <= LIMIT {
                    found.push_str(&format!("{shown}:{}:{line}\n", i + 1));
                }
            }
        }
        found.pop();
        Ok(if found.is_empty() {
            "No matches found".into()
        } else {
            found
        })
    }
}
