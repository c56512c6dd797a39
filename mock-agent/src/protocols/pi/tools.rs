//! The tools with their names and arguments in pi.

use crate::tools::Category;
use crate::tools::{Bash, Edit, Job, Read, Tool, Write};
use serde::Deserialize;
use serde_json::{Value, json};
use std::rc::Rc;

pub(super) const TOOLS: &[Tool] = &[READ, BASH, EDIT, WRITE];

type Parsed = Result<Rc<dyn Job>, serde_json::Error>;

const READ: Tool = Tool {
    name: "read",
    category: Category::Info,
    purpose: "Reads a file: text with line numbers, or an image.",
    parameters: || {
        json!({ "type": "object", "required": ["path"], "properties": {
            "path": { "type": "string", "description": "The file." },
            "offset": { "type": "integer", "minimum": 1, "description": "The first line to read." },
            "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
        } })
    },
    parse: read,
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
    parse: bash,
};

const EDIT: Tool = Tool {
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
    parse: edit,
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
    parse: write,
};

fn read(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        path: String,
        offset: Option<usize>,
        limit: Option<usize>,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Read {
        file_path: args.path,
        offset: args.offset,
        limit: args.limit,
    }))
}

fn bash(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        command: String,
        timeout: Option<f64>,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Bash {
        command: args.command,
        timeout: args.timeout.map(|seconds| (seconds * 1000.0) as u64),
    }))
}

fn edit(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Args {
        path: String,
        old_text: String,
        new_text: String,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Edit {
        file_path: args.path,
        old_string: args.old_text,
        new_string: args.new_text,
        replace_all: false,
    }))
}

fn write(args: &Value) -> Parsed {
    #[derive(Deserialize)]
    struct Args {
        path: String,
        content: String,
    }
    let args = Args::deserialize(args)?;
    Ok(Rc::new(Write {
        file_path: args.path,
        content: args.content,
    }))
}
