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
