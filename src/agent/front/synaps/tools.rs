//! The tools by their names in this dialect.

use crate::agent::tools::{BASH, EDIT, GLOB, GREP, READ, SUBAGENT, Tool, WRITE};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "bash",
        ..BASH
    },
    Tool {
        name: "read",
        ..READ
    },
    Tool {
        name: "write",
        ..WRITE
    },
    Tool {
        name: "edit",
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
