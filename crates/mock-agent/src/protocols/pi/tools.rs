//! The tools with their names and arguments in pi.

use super::jobs;
use crate::tools::{Category, Tool};
use serde_json::json;

pub(super) const TOOLS_V0_14: &[Tool] = &[READ, BASH, EDIT_V0_14, WRITE];
pub(super) const TOOLS_V0_73: &[Tool] = &[READ, BASH, EDIT, WRITE];
pub(super) const TOOLS_V0_87: &[Tool] = &[READ, BASH, EDIT_V0_87, WRITE_V0_87];

const READ: Tool = Tool {
    name: "read",
    category: Category::Info,
    purpose: "Reads a file: text, or an image.",
    parameters: || {
        json!({ "type": "object", "required": ["path"], "properties": {
            "path": { "type": "string", "description": "The file." },
            "offset": { "type": "integer", "minimum": 1, "description": "The first line to read." },
            "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
        } })
    },
    parse: jobs::read,
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
    parse: jobs::edit_v0_73,
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
    parse: jobs::edit_v0_87,
    ..EDIT
};

const WRITE_V0_87: Tool = Tool {
    parse: jobs::write_v0_87,
    ..WRITE
};

const WRITE: Tool = Tool {
    name: "write",
    category: Category::Edit,
    purpose: "Creates or overwrites a file.",
    parameters: || {
        json!({ "type": "object", "required": ["path", "content"], "properties": {
            "path": { "type": "string", "description": "The file; missing folders are created." },
            "content": { "type": "string", "description": "The whole text of the file." },
        } })
    },
    parse: jobs::write_v0_73,
};
