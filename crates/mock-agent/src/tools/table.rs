//! Table of the built-in tools under their own names. Protocols whose agents have other names have tables of their own.

use super::tool::Tool;
use super::{bash, edit, glob, grep, read, spawn, write};

/// The tools of a protocol that has no names of its own for them.
pub(crate) const TOOLS: &[Tool] = &[
    read::TOOL,
    write::TOOL,
    edit::TOOL,
    bash::TOOL,
    glob::TOOL,
    grep::TOOL,
    spawn::TOOL,
];

#[cfg(test)]
mod tests {
    use super::TOOLS;
    use crate::tools::toolbox::Toolbox;
    use serde_json::json;

    #[test]
    fn each_tool_has_the_category_of_its_effect() {
        let toolbox = Toolbox::new(TOOLS, Vec::new());
        for (name, args, category) in [
            ("Read", json!({ "file_path": "a" }), "info"),
            ("Glob", json!({ "pattern": "*" }), "info"),
            ("Grep", json!({ "pattern": "x" }), "info"),
            ("Write", json!({ "file_path": "a", "content": "" }), "edit"),
            (
                "Edit",
                json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
                "edit",
            ),
            ("Bash", json!({ "command": "true" }), "exec"),
            ("Spawn", json!({ "prompt": "p" }), "exec"),
        ] {
            assert_eq!(toolbox.job(name, &args).unwrap().0.name(), category);
        }
    }

    #[test]
    fn an_invalid_call_is_refused_with_the_reason() {
        let toolbox = Toolbox::new(TOOLS, Vec::new());
        for (name, args, why) in [
            ("Fly", json!({}), "There is no tool named \"Fly\"."),
            (
                "Read",
                json!({}),
                "The arguments of Read are invalid: missing field `file_path`.",
            ),
            (
                "Read",
                json!([]),
                "The arguments of Read are not a JSON object.",
            ),
        ] {
            assert_eq!(toolbox.job(name, &args).err().unwrap(), why);
        }
    }
}
