//! The tools with their names and arguments in synaps.

use crate::protocols::frames::{with_file_path, with_path};
use crate::tools::{BASH, EDIT, GLOB, GREP, READ, SUBAGENT, Tool, WRITE};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "bash",
        ..BASH
    },
    Tool {
        name: "read",
        parameters: || with_path((READ.parameters)()),
        parse: |args| (READ.parse)(&with_file_path(args)),
        ..READ
    },
    Tool {
        name: "write",
        parameters: || with_path((WRITE.parameters)()),
        parse: |args| (WRITE.parse)(&with_file_path(args)),
        ..WRITE
    },
    Tool {
        name: "edit",
        parameters: || with_path((EDIT.parameters)()),
        parse: |args| (EDIT.parse)(&with_file_path(args)),
        ..EDIT
    },
    Tool {
        name: "find",
        ..GLOB
    },
    Tool {
        name: "grep",
        ..GREP
    },
    SUBAGENT,
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_path_of_a_file_is_the_argument_path() {
        let write = &TOOLS[2];

        assert_eq!((write.parameters)()["required"], json!(["path", "content"]));
        assert!((write.parse)(&json!({ "path": "a", "content": "file_path" })).is_ok());
        assert!((write.parse)(&json!({ "content": "" })).is_err());
    }
}
