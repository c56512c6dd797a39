//! The tools of pi at work: what their results say, as the real agent's do.

use super::edit::{Replacement, replace_all, summarize};
use crate::tools::files::read_file;
use crate::tools::{
    Bash, CommandEnd, Job, JobFuture, Read, ToolContext, ToolResult, Write, expanded, with_newlines,
};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::rc::Rc;

type Parsed = Result<Rc<dyn Job>, serde_json::Error>;

/// `read`: the text as it is, with a hint where to continue if a limit cut it off.
pub(super) fn read(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        path: String,
        offset: Option<usize>,
        limit: Option<usize>,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(ReadJob(Rc::new(Read {
        file_path: args.path,
        offset: args.offset,
        limit: args.limit,
        show: chosen_lines,
    }))))
}

struct ReadJob(Rc<Read>);

impl Job for ReadJob {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        if let Err(missing) = existing(context, &self.0.file_path) {
            return Box::pin(async { ToolResult::error(missing) });
        }
        Rc::clone(&self.0).run(context)
    }
}

fn chosen_lines(read: &Read, text: &str) -> Result<String, String> {
    let lines: Vec<_> = text.split('\n').collect();
    let first = read.offset.unwrap_or(1).max(1) - 1;
    if first >= lines.len() {
        let (offset, count) = (first + 1, lines.len());
        return Err(format!(
            "Offset {offset} is beyond end of file ({count} lines total)"
        ));
    }
    let end = read.limit.map_or(lines.len(), |limit| {
        first.saturating_add(limit).min(lines.len())
    });
    let shown = lines[first..end].join("\n");
    let left = lines.len() - end;
    Ok(match left {
        0 => shown,
        _ => format!(
            "{shown}\n\n[{left} more lines in file. Use offset={} to continue.]",
            end + 1
        ),
    })
}

/// An error if there is no such file.
fn existing(context: ToolContext<'_>, path: &str) -> Result<(), String> {
    match context.workspace.resolve(path) {
        Ok(path) if !path.exists() => {
            let path = path.display();
            Err(format!(
                "ENOENT: no such file or directory, access '{path}'"
            ))
        }
        _ => Ok(()),
    }
}

/// `bash`: the output, followed by how the command failed.
pub(super) fn bash(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        command: String,
        timeout: Option<f64>,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Bash {
        command: args.command,
        timeout: args.timeout.map(|seconds| (seconds * 1000.0) as u64),
        tell: ended,
    }))
}

fn ended(output: String, end: CommandEnd) -> String {
    let status = match end {
        CommandEnd::Exited(0) if output.is_empty() => return "(no output)".to_owned(),
        CommandEnd::Exited(0) => return output,
        CommandEnd::Exited(code) => format!("Command exited with code {code}"),
        CommandEnd::Killed(_) => "Command terminated without an exit code".to_owned(),
        CommandEnd::TimedOut(limit) => {
            format!("Command timed out after {} seconds", limit.as_secs_f64())
        }
    };
    match output.is_empty() {
        true => status,
        false => format!("{output}\n\n{status}"),
    }
}

/// The result of `write` up to 0.73.
pub(super) fn written_bytes(write: &Write) -> String {
    let length = write.content.encode_utf16().count();
    format!("Successfully wrote {length} bytes to {}", write.file_path)
}

/// The same of 0.87.
pub(super) fn written(write: &Write) -> String {
    format!("Successfully wrote to {}", write.file_path)
}

/// `write`, whose result `tell` says.
pub(super) fn write(args: &Value, tell: fn(&Write) -> String) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        path: String,
        content: String,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Write {
        file_path: args.path,
        content: args.content,
        tell,
    }))
}

/// `edit`: replacements, or the texts of one. Its details have a patch since 0.87.
pub(super) fn edit(args: &Value, has_patch: bool) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        path: String,
        #[serde(default)]
        edits: Vec<Replacement>,
    }
    let Args { path, mut edits } = Args::deserialize(args)?;
    if edits.is_empty() || args.get("oldText").is_some() {
        edits.push(Replacement::deserialize(args)?);
    }
    Ok(Rc::new(EditJob {
        path,
        edits,
        has_patch,
    }))
}

struct EditJob {
    path: String,
    edits: Vec<Replacement>,
    has_patch: bool,
}

impl Job for EditJob {
    fn describe(&self) -> String {
        format!("Edit {}", self.path)
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move { self.edit(context).unwrap_or_else(ToolResult::error) })
    }
}

impl EditJob {
    fn edit(&self, context: ToolContext<'_>) -> Result<ToolResult, String> {
        existing(context, &self.path)?;
        let path = context.workspace.resolve(&self.path)?;
        let before = text_file(&path, &self.path)?;
        let edits: Vec<_> = self
            .edits
            .iter()
            .map(|edit| Replacement {
                old_text: edit.old_text.clone(),
                new_text: expanded(&edit.new_text, &edit.old_text, context.faults),
            })
            .collect();
        let after = replace_all(&self.path, &before, &edits)?;
        let after = with_newlines(after, context.faults);
        std::fs::write(&path, &after).map_err(|error| format!("{}: {error}", self.path))?;
        let count = edits.len();
        let text = format!("Successfully replaced {count} block(s) in {}.", self.path);
        let patched = self.has_patch.then_some(self.path.as_str());
        Ok(ToolResult {
            details: Some(summarize(&before, &after, patched)),
            ..ToolResult::text(text)
        })
    }
}

fn text_file(path: &Path, shown: &str) -> Result<String, String> {
    let bytes = read_file(path).map_err(|why| format!("{shown}: {why}"))?;
    String::from_utf8(bytes).map_err(|_| format!("{shown}: not a text file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_output_is_followed_by_how_the_command_failed() {
        let told = |output: &str, end| ended(output.to_owned(), end);

        assert_eq!(told("a\n", CommandEnd::Exited(0)), "a\n");
        assert_eq!(told("", CommandEnd::Exited(0)), "(no output)");
        let failed = "a\n\n\nCommand exited with code 3";
        assert_eq!(told("a\n", CommandEnd::Exited(3)), failed);
        let limit = Duration::from_millis(1500);
        let late = "Command timed out after 1.5 seconds";
        assert_eq!(told("", CommandEnd::TimedOut(limit)), late);
    }

    #[test]
    fn lines_are_shown_as_they_are_with_a_hint_where_to_continue() {
        let shown = |offset, limit| {
            let read = Read {
                file_path: "a".into(),
                offset,
                limit,
                show: chosen_lines,
            };
            chosen_lines(&read, "a\nb\nc\n")
        };

        assert_eq!(shown(None, None).unwrap(), "a\nb\nc\n");
        let cut = "b\n\n[2 more lines in file. Use offset=3 to continue.]";
        assert_eq!(shown(Some(2), Some(1)).unwrap(), cut);
        let beyond = "Offset 9 is beyond end of file (4 lines total)";
        assert_eq!(shown(Some(9), None).unwrap_err(), beyond);
    }
}
