//! Prompt templates and skills: the expansion of prompts that begin with a slash, and `get_commands`.

use super::extension_script::FILE;
use super::responses::PiSession;
use super::version::PiVersion::V0_87;
use crate::core::session::Session;
use crate::protocols::frames::extended;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A file with front matter between two lines of `---`.
struct PromptFile {
    head: String,
    body: String,
}

fn read(path: &Path) -> Option<PromptFile> {
    let text = std::fs::read_to_string(path).ok()?;
    let parts = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"));
    let (head, body) = parts.unwrap_or(("", &text));
    Some(PromptFile {
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

impl PromptFile {
    fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim())
    }

    fn description(&self) -> &str {
        let first = || self.body.lines().next().unwrap_or_default();
        self.field("description").unwrap_or_else(first)
    }
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn skill_file(folder: &Path) -> PathBuf {
    folder.join("SKILL.md")
}

/// The text with its template or skill filled in. Unchanged if it names none.
pub(super) fn expand(session: &Session, text: &str) -> String {
    let Some(words) = text.strip_prefix('/') else {
        return text.to_owned();
    };
    let (name, rest) = words.split_once(' ').unwrap_or((words, ""));
    let host_options = &session.settings.host_options;
    if let Some(skill) = name.strip_prefix("skill:") {
        let folder = host_options
            .skills
            .iter()
            .find(|folder| stem(folder) == skill);
        let Some(file) = folder.and_then(|folder| read(&skill_file(folder))) else {
            return text.to_owned();
        };
        return format!(
            "<skill name=\"{skill}\">\n{}\n</skill>\n\n{rest}",
            file.body.trim()
        );
    }
    let template = host_options
        .templates
        .iter()
        .find(|path| stem(path) == name);
    match template.and_then(|path| read(path)) {
        Some(file) => fill(file.body.trim(), rest),
        None => text.to_owned(),
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
        V0_87 => json!({ "sourceInfo": {
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
    let of_file = |name: String, source: &str, path: &Path| {
        let file = read(path)?;
        let command = json!({ "name": name, "description": file.description(), "source": source });
        Some(extended(command, place(path, false)))
    };
    let host_options = &session.settings.host_options;
    let templates = host_options.templates.iter();
    let templates = templates.filter_map(|path| of_file(stem(path), "prompt", path));
    let skills = host_options.skills.iter().filter_map(|folder| {
        let name = format!("skill:{}", stem(folder));
        of_file(name, "skill", &skill_file(folder))
    });
    of_extensions.chain(templates).chain(skills).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_replace_their_placeholders() {
        assert_eq!(fill("$1 and $2: $@", "a b"), "a and b: a b");
    }
}
