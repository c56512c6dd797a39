//! `Edit` tool: replaces texts in a file, and returns the change as a unified diff.

use super::files::{MAX_FILE_BYTES, read_file};
use super::output_limit::truncate;
use super::{
    Category, EditError, FileError, InstantJob, Tool, ToolContext, ToolError, ToolOutput,
    ToolResult,
};
use crate::faults::{Bug, Faults};
use serde::Deserialize;
use serde_json::{Value, json};
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
    parse: |args| Ok(Rc::new(Edit::parse(args, as_diff)?)),
};

/// Changes of one file. Each old text is searched in the file as it was.
pub(crate) struct Edit {
    pub(crate) file_path: String,
    pub(crate) edits: Vec<Replacement>,
    result: EditResult,
}

/// The result of an edit, of the text before and after it, and of the path in the workspace.
pub(crate) type EditResult = fn(&Edit, (&str, &str), &str) -> ToolResult;

#[derive(Deserialize)]
pub(crate) struct Replacement {
    #[serde(alias = "oldText")]
    old_string: String,
    #[serde(alias = "newText")]
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl InstantJob for Edit {
    fn describe(&self) -> String {
        format!("Edit {}", self.file_path)
    }

    fn perform(&self, context: ToolContext<'_>) -> Result<ToolResult, ToolError> {
        let path = context.workspace.resolve(&self.file_path)?;
        let before = read_file(&path, MAX_FILE_BYTES)
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| FileError::NotText))
            .map_err(ToolError::of_file(&self.file_path))?;
        let replaced = self
            .replaced(&before, context.faults)
            .map_err(ToolError::of_file(&self.file_path))?;
        let after = with_newlines(replaced, context.faults);
        std::fs::write(&path, &after).map_err(ToolError::of_file(&self.file_path))?;
        let shown = context.workspace.relative(&path);
        Ok((self.result)(self, (&before, &after), &shown))
    }
}

impl Edit {
    pub(crate) fn parse(args: &Value, result: EditResult) -> Result<Edit, serde_json::Error> {
        #[derive(Deserialize)]
        struct Args {
            file_path: String,
            #[serde(default)]
            edits: Vec<Replacement>,
        }
        let Args {
            file_path,
            mut edits,
        } = Args::deserialize(args)?;
        if edits.is_empty() || args.get("oldText").is_some() {
            edits.push(Replacement::deserialize(args)?);
        }
        Ok(Edit {
            file_path,
            edits,
            result,
        })
    }

    /// The text after the edit.
    ///
    /// # Errors
    /// A text to replace does not occur in it, or not once.
    pub(crate) fn replaced(&self, before: &str, faults: &Faults) -> Result<String, EditError> {
        let mut places = Vec::new();
        for edit in &self.edits {
            let old = edit.old_string.as_str();
            if old.is_empty() {
                return Err(EditError::Empty);
            }
            if old == edit.new_string {
                return Err(EditError::Same);
            }
            let matches = before.match_indices(old);
            let found: Vec<_> = matches.map(|(start, _)| (start, edit)).collect();
            match found.len() {
                0 => return Err(EditError::Missing),
                count if count > 1 && !edit.replace_all => {
                    return Err(EditError::Ambiguous { count });
                }
                _ => places.extend(found),
            }
        }
        places.sort_by_key(|(start, _)| *start);
        let (mut after, mut end) = (String::new(), 0);
        for (start, edit) in places {
            let kept = before.get(end..start);
            after.push_str(kept.ok_or(EditError::Overlap)?);
            after.push_str(&expanded(&edit.new_string, &edit.old_string, faults));
            end = start + edit.old_string.len();
        }
        Ok(after + &before[end..])
    }
}

/// The text that an edit puts in the place of `old`.
fn expanded(new: &str, old: &str, faults: &Faults) -> String {
    if new.contains("$&") && faults.triggers(Bug::EditExpandsPatterns) {
        new.replace("$&", old)
    } else {
        new.to_owned()
    }
}

/// A whole file as an edit writes it.
fn with_newlines(text: String, faults: &Faults) -> String {
    if text.contains("\r\n") && faults.triggers(Bug::EditChangesNewlines) {
        text.replace("\r\n", "\n")
    } else {
        text
    }
}

fn as_diff(edit: &Edit, (before, after): (&str, &str), shown: &str) -> ToolResult {
    let diff = TextDiff::from_lines(before, after)
        .unified_diff()
        .header(&format!("a/{shown}"), &format!("b/{shown}"))
        .to_string();
    ToolResult::output(ToolOutput::Diff {
        diff: truncate(diff.trim_end_matches('\n').to_owned(), 0),
        path: edit.file_path.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_old_text_is_looked_for_in_the_text_as_it_was() {
        let cases = spanned_yaml::load_yaml("edit.yaml", include_str!("edit.yaml")).unwrap();
        for case in cases.to_value().as_array().unwrap() {
            let mut args = case["args"].clone();
            args["file_path"] = json!("f");
            let edit = Edit::parse(&args, as_diff).unwrap();
            let after = edit.replaced(case["before"].as_str().unwrap(), &Faults::none());
            match case["after"].as_str() {
                Some(text) => assert_eq!(after.as_deref(), Ok(text)),
                None => {
                    let why = case["refused"].as_str().unwrap();
                    assert!(after.unwrap_err().to_string().contains(why), "{why}");
                }
            }
        }
    }
}
