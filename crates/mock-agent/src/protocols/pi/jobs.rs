//! The jobs of pi's tools: their results have the texts of the real agent.

use super::edit::summarize;
use crate::protocols::frames::with_file_path;
use crate::tools::{
    Bash, CommandEnd, Edit, EditResult, Job, JobFuture, Read, ToolContext, ToolError, ToolResult,
    Write,
};
use serde::Deserialize;
use serde_json::Value;
use std::rc::Rc;

type Parsed = Result<Rc<dyn Job>, serde_json::Error>;

struct OnFile {
    path: String,
    job: Rc<dyn Job>,
}

impl Job for OnFile {
    fn describe(&self) -> String {
        self.job.describe()
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        match context.workspace.resolve(&self.path) {
            Ok(path) if !path.exists() => {
                let path = path.display();
                let why = format!("ENOENT: no such file or directory, access '{path}'");
                Box::pin(async { ToolResult::error(why) })
            }
            _ => Rc::clone(&self.job).run(context),
        }
    }
}

/// `read`: the text as it is, with a hint where to continue if a limit cut it off.
pub(super) fn read(args: &Value) -> Parsed {
    let read = Read::deserialize(&with_file_path(args))?;
    let path = read.file_path.clone();
    let show = chosen_lines;
    let job = Rc::new(Read { show, ..read });
    Ok(Rc::new(OnFile { path, job }))
}

fn chosen_lines(read: &Read, text: &str) -> Result<String, ToolError> {
    let lines: Vec<_> = text.split('\n').collect();
    let first = read.offset.unwrap_or(1).max(1) - 1;
    if first >= lines.len() {
        return Err(ToolError::Offset {
            offset: first + 1,
            lines: lines.len(),
        });
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
        result: ended,
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
    if output.is_empty() {
        status
    } else {
        format!("{output}\n\n{status}")
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

/// `write`, with the text of its result.
pub(super) fn write(args: &Value, result: fn(&Write) -> String) -> Parsed {
    let write = Write::deserialize(&with_file_path(args))?;
    Ok(Rc::new(Write { result, ..write }))
}

/// `edit`: replacements, or the texts of one.
pub(super) fn edit(args: &Value) -> Parsed {
    on_edit(args, |edit, texts, _| replaced(edit, texts, None))
}

/// The same of 0.87, where the details have a patch.
pub(super) fn edit_with_patch(args: &Value) -> Parsed {
    on_edit(args, |edit, texts, _| {
        replaced(edit, texts, Some(&edit.file_path))
    })
}

fn on_edit(args: &Value, result: EditResult) -> Parsed {
    let edit = Edit::parse(&with_file_path(args), result)?;
    let path = edit.file_path.clone();
    let job = Rc::new(edit);
    Ok(Rc::new(OnFile { path, job }))
}

fn replaced(edit: &Edit, (before, after): (&str, &str), patched: Option<&str>) -> ToolResult {
    let (count, path) = (edit.edits.len(), &edit.file_path);
    ToolResult {
        details: Some(summarize(before, after, patched)),
        ..ToolResult::text(format!("Successfully replaced {count} block(s) in {path}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_output_is_followed_by_how_the_command_failed() {
        let shown = |output: &str, end| ended(output.to_owned(), end);

        assert_eq!(shown("a\n", CommandEnd::Exited(0)), "a\n");
        assert_eq!(shown("", CommandEnd::Exited(0)), "(no output)");
        let failed = "a\n\n\nCommand exited with code 3";
        assert_eq!(shown("a\n", CommandEnd::Exited(3)), failed);
        let limit = Duration::from_millis(1500);
        let late = "Command timed out after 1.5 seconds";
        assert_eq!(shown("", CommandEnd::TimedOut(limit)), late);
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
        assert_eq!(shown(Some(9), None).unwrap_err().to_string(), beyond);
    }
}
