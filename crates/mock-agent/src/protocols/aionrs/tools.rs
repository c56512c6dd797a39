//! The tools of 0.2, where the shell tool has another name.

use crate::tools::{BASH, Bash, EDIT, GLOB, GREP, READ, SPAWN, Tool, WRITE, bracketed};
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

pub(super) const TOOLS_V0_2: &[Tool] = &[READ, WRITE, EDIT, EXEC, GLOB, GREP, SPAWN];

const EXEC: Tool = Tool {
    name: "ExecCommand",
    parameters: || {
        json!({ "type": "object", "required": ["cmd"], "properties": {
            "cmd": { "type": "string", "description": "The command." },
            "timeout": { "type": "integer", "minimum": 1, "description": "Milliseconds before it is killed." },
        } })
    },
    parse: |args| {
        let Exec { cmd, timeout } = Exec::deserialize(args)?;
        Ok(Rc::new(Bash {
            command: cmd,
            timeout,
            result: bracketed,
        }))
    },
    ..BASH
};

#[derive(Deserialize)]
struct Exec {
    cmd: String,
    timeout: Option<u64>,
}
