//! `Edit` tool: replaces a text in a file, and returns the change as a unified diff.

use super::files::{error_message, read_file};
use super::output_limit::truncate;
use super::tool::{Category, Job, JobFuture, Tool, ToolContext, ToolOutput, ToolResult, parse};
use crate::faults::{Bug, Faults};
use serde::Deserialize;
use serde_json::json;
use similar::TextDiff;
use std::rc::Rc;

pub(crate) const TOOL: Tool = Tool {
    name: "Edit",
    category: Category::Edit,
    purpose: "Replaces a text in a file.",
    parameters: || {
        json!({ "type": "object", "required": ["file_path", "old_string", "new_string"], "properties": {
            "file_path": { "type": "string", "description": "The file." },
            "old_string": { "type": "string", "description": "The text to replace. It must occur in the file exactly once." },
            "new_string": { "type": "string", "description": "The new text." },
            "replace_all": { "type": "boolean", "description": "Replace all occurrences." },
        } })
    },
    parse: parse::<Edit>,
};

#[derive(Deserialize)]
pub(crate) struct Edit {
    pub(crate) file_path: String,
    pub(crate) old_string: String,
    pub(crate) new_string: String,
    #[serde(default)]
    pub(crate) replace_all: bool,
}

impl Job for Edit {
    fn describe(&self) -> String {
        format!("Edit {}", self.file_path)
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move { self.edit(context).unwrap_or_else(ToolResult::error) })
    }
}

impl Edit {
    fn edit(&self, context: ToolContext<'_>) -> Result<ToolResult, String> {
        let path = context.workspace.resolve(&self.file_path)?;
        let failed = |why: String| format!("{}: {why}", self.file_path);
        let before = String::from_utf8(read_file(&path).map_err(failed)?)
            .map_err(|_| failed("not a text file".into()))?;
        let new = expanded(&self.new_string, &self.old_string, context.faults);
        let after = self.replaced(&before, &new).map_err(failed)?;
        let after = with_newlines(after, context.faults);
        std::fs::write(&path, &after).map_err(|error| failed(error_message(&error)))?;
        let shown = context.workspace.relative(&path);
        let output = ToolOutput::Diff {
            diff: truncate(diff(&before, &after, &shown), 0),
            path: self.file_path.clone(),
        };
        Ok(ToolResult::output(output))
    }

    fn replaced(&self, before: &str, new: &str) -> Result<String, String> {
        if self.old_string.is_empty() {
            return Err("the text to replace is empty".into());
        }
        if self.old_string == self.new_string {
            return Err("the new text is the same as the old".into());
        }
        match before.matches(&self.old_string).count() {
            0 => Err("the text to replace does not occur in the file".into()),
            1 => Ok(before.replacen(&self.old_string, new, 1)),
            _ if self.replace_all => Ok(before.replace(&self.old_string, new)),
            n => Err(format!(
                "the text to replace occurs {n} times in the file; it must be unique"
            )),
        }
    }
}

/// The text that an edit puts in the place of `old`.
pub(crate) fn expanded(new: &str, old: &str, faults: &Faults) -> String {
    match new.contains("$&") && faults.triggers(Bug::EditExpandsPatterns) {
        true => new.replace("$&", old),
        false => new.to_owned(),
    }
}

/// A whole file as an edit writes it.
pub(crate) fn with_newlines(text: String, faults: &Faults) -> String {
    match text.contains("\r\n") && faults.triggers(Bug::EditChangesNewlines) {
        true => text.replace("\r\n", "\n"),
        false => text,
    }
}

fn diff(before: &str, after: &str, path: &str) -> String {
    let text = TextDiff::from_lines(before, after)
        .unified_diff()
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    text.trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, replace_all: bool) -> Edit {
        Edit {
            file_path: "a".into(),
            old_string: old.into(),
            new_string: new.into(),
            replace_all,
        }
    }

    #[test]
    fn a_text_that_occurs_once_is_replaced() {
        assert_eq!(
            edit("b", "x", false).replaced("a\nb\n", "x"),
            Ok("a\nx\n".into())
        );
    }

    #[test]
    fn a_text_that_is_missing_or_occurs_twice_is_an_error() {
        assert!(edit("c", "x", false).replaced("a\nb\n", "x").is_err());
        assert!(edit("a", "x", false).replaced("a\na\n", "x").is_err());
        assert_eq!(
            edit("a", "x", true).replaced("a\na\n", "x"),
            Ok("x\nx\n".into())
        );
    }

    #[test]
    fn the_diff_is_unified() {
        assert_eq!(
            diff("a\nb\nc\n", "a\nx\nc\n", "src/m.rs"),
            "--- a/src/m.rs\n+++ b/src/m.rs\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"
        );
    }
}
