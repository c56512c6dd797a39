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
        let call = |name: &str, args| {
            toolbox
                .job(name, &args)
                .map(|(category, _)| category.name())
        };

        assert_eq!(call("Read", json!({ "file_path": "a" })), Ok("info"));
        assert_eq!(call("Glob", json!({ "pattern": "*" })), Ok("info"));
        assert_eq!(call("Grep", json!({ "pattern": "x" })), Ok("info"));
        let write = json!({ "file_path": "a", "content": "" });
        assert_eq!(call("Write", write), Ok("edit"));
        let edit = json!({ "file_path": "a", "old_string": "x", "new_string": "y" });
        assert_eq!(call("Edit", edit), Ok("edit"));
        assert_eq!(call("Bash", json!({ "command": "true" })), Ok("exec"));
        assert_eq!(call("Spawn", json!({ "prompt": "p" })), Ok("exec"));
    }

    #[test]
    fn an_invalid_call_is_refused_with_the_reason() {
        let toolbox = Toolbox::new(TOOLS, Vec::new());
        let refused = |name: &str, args| toolbox.job(name, &args).err().expect("refused");

        assert_eq!(refused("Fly", json!({})), "There is no tool named \"Fly\".");
        assert_eq!(
            refused("Read", json!({})),
            "The arguments of Read are invalid: missing field `file_path`."
        );
        assert_eq!(
            refused("Read", json!([])),
            "The arguments of Read are not a JSON object."
        );
    }
}
