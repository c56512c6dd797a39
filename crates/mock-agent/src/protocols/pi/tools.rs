//! The tools with their names and arguments in pi.

use super::jobs;
use crate::protocols::frames::with_path;
use crate::tools::{self, Category, Tool};
use serde_json::json;

pub(super) const TOOLS_V0_14: &[Tool] = &[READ, BASH, EDIT_V0_14, WRITE];
pub(super) const TOOLS_V0_73: &[Tool] = &[READ, BASH, EDIT, WRITE];
pub(super) const TOOLS_V0_87: &[Tool] = &[READ, BASH, EDIT_V0_87, WRITE_V0_87];

const READ: Tool = Tool {
    name: "read",
    purpose: "Reads a file: text, or an image.",
    parameters: || with_path((tools::READ.parameters)()),
    parse: jobs::read,
    ..tools::READ
};

const BASH: Tool = Tool {
    name: "bash",
    category: Category::Exec,
    purpose: "Runs a shell command. Processes that it leaves running are killed.",
    parameters: || {
        json!({ "type": "object", "required": ["command"], "properties": {
            "command": { "type": "string", "description": "The command." },
            "timeout": { "type": "number", "description": "Seconds before it is killed." },
        } })
    },
    parse: jobs::bash,
};

const EDIT_V0_14: Tool = Tool {
    name: "edit",
    category: Category::Edit,
    purpose: "Replaces a text in a file.",
    parameters: || {
        json!({ "type": "object", "required": ["path", "oldText", "newText"], "properties": {
            "path": { "type": "string", "description": "The file." },
            "oldText": { "type": "string", "description": "The text to replace. It must occur in the file exactly once." },
            "newText": { "type": "string", "description": "The new text." },
        } })
    },
    parse: jobs::edit,
};

const EDIT: Tool = Tool {
    purpose: "Replaces texts in a file.",
    parameters: || {
        json!({ "type": "object", "required": ["path", "edits"], "properties": {
            "path": { "type": "string", "description": "The file." },
            "edits": { "type": "array", "description": "The replacements.", "items": {
                "type": "object", "required": ["oldText", "newText"], "properties": {
                    "oldText": { "type": "string", "description": "The text to replace. It must occur in the file exactly once." },
                    "newText": { "type": "string", "description": "The new text." },
                },
            } },
        } })
    },
    ..EDIT_V0_14
};

const EDIT_V0_87: Tool = Tool {
    parse: jobs::edit_with_patch,
    ..EDIT
};

const WRITE_V0_87: Tool = Tool {
    parse: |args| jobs::write(args, jobs::written),
    ..WRITE
};

const WRITE: Tool = Tool {
    name: "write",
    parameters: || with_path((tools::WRITE.parameters)()),
    parse: |args| jobs::write(args, jobs::written_bytes),
    ..tools::WRITE
};
