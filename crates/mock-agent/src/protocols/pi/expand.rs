//! Prompt templates and skills: the expansion of prompts that begin with a slash, and `get_commands`.

use super::extension_script::FILE;
use super::{PiSession, V0_87, V1_6};
use crate::core::{HostOptions, Session};
use crate::protocols::frames::extended;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A prompt template or a skill, which may have front matter between two lines of `---`.
struct PromptFile {
    /// The name by which a prompt calls it.
    name: String,
    path: PathBuf,
    description: String,
    body: String,
}

/// The templates, then the skills.
fn prompt_files(options: &HostOptions) -> impl Iterator<Item = PromptFile> {
    let template = |path: &PathBuf| (stem(path), path.clone());
    let skill = |folder: &PathBuf| (format!("skill:{}", stem(folder)), folder.join("SKILL.md"));
    let templates = options.templates.iter().map(template);
    templates
        .chain(options.skills.iter().map(skill))
        .filter_map(|(name, path)| read(name, path))
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn read(name: String, path: PathBuf) -> Option<PromptFile> {
    let text = std::fs::read_to_string(&path).ok()?;
    let rest = text.strip_prefix("---\n");
    let parts = rest.and_then(|rest| rest.split_once("\n---\n"));
    let (head, body) = parts.unwrap_or(("", &text));
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let described = fields.find(|(key, _)| key.trim() == "description");
    let first = || body.lines().next().unwrap_or_default();
    Some(PromptFile {
        description: described
            .map_or_else(first, |(_, value)| value.trim())
            .to_owned(),
        body: body.trim().to_owned(),
        name,
        path,
    })
}

/// The text with its template or skill filled in. Unchanged if it names none.
pub(super) fn expand(session: &Session, text: &str) -> String {
    let words = text.strip_prefix('/').unwrap_or_default();
    let (name, rest) = words.split_once(' ').unwrap_or((words, ""));
    let mut files = prompt_files(&session.settings.host_options);
    match (
        files.find(|file| file.name == name),
        name.strip_prefix("skill:"),
    ) {
        (None, _) => text.to_owned(),
        (Some(PromptFile { body, .. }), Some(skill)) => {
            format!("<skill name=\"{skill}\">\n{body}\n</skill>\n\n{rest}")
        }
        (Some(file), None) => fill(&file.body, rest),
    }
}

/// Replaces `$1`, `$2`, … by the words of the arguments, and `$@` by all of them.
fn fill(body: &str, rest: &str) -> String {
    let mut text = body.replace("$@", rest);
    for (n, word) in rest.split_whitespace().enumerate() {
        text = text.replace(&format!("${}", n + 1), word);
    }
    text
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

pub(super) fn available_commands(session: PiSession<'_>) -> Vec<Value> {
    let state = session.state();
    let place = |path: &Path, is_extension: bool| match state.version {
        V0_87 | V1_6 => json!({ "sourceInfo": {
            "path": absolute(path), "source": "cli", "scope": "temporary", "origin": "top-level",
        } }),
        _ if is_extension => json!({}),
        _ => json!({ "location": "path", "path": absolute(path) }),
    };
    let of_extensions = state.script.commands.keys().map(|name| {
        let about = "Asks what the script says";
        let command = json!({ "name": name, "description": about, "source": "extension" });
        extended(command, place(Path::new(FILE), true))
    });
    let of_files = prompt_files(&session.settings.host_options).map(|file| {
        let source = if file.name.starts_with("skill:") {
            "skill"
        } else {
            "prompt"
        };
        let command =
            json!({ "name": file.name, "description": file.description, "source": source });
        extended(command, place(&file.path, false))
    });
    of_extensions.chain(of_files).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_replace_their_placeholders() {
        assert_eq!(fill("$1 and $2: $@", "a b"), "a and b: a b");
    }
}
