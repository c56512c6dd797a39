//! Files, through the client where it has declared that.

use super::host::AcpHost;
use super::tools::{Call, NoResult, Ran};
use crate::protocols::frames::present;
use crate::tools::{Edit, Read, ToolContext, ToolResult, Write, numbered};
use serde::Deserialize;
use serde_json::json;
use std::rc::Rc;

const READS: &str = "/fs/readTextFile";
const WRITES: &str = "/fs/writeTextFile";

pub(super) async fn read(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Ran {
    host.needs(READS)?;
    let read = Read::deserialize(&call.args)?;
    context.workspace.resolve(&read.file_path)?;
    let (path, line, limit) = (host.path(&read.file_path), read.offset, read.limit);
    let params = present(json!({ "path": path, "line": line, "limit": limit }));
    let result = host.request("fs/read_text_file", params).await?;
    let content = result["content"].as_str().unwrap_or_default();
    Ok(ToolResult::text(numbered(content.lines(), read.offset)))
}

pub(super) async fn write(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Ran {
    let write = Write::deserialize(&call.args)?;
    let before = std::fs::read_to_string(context.workspace.resolve(&write.file_path)?).ok();
    let result = match &call.alone {
        Some(alone) if !host.can(WRITES) => Rc::clone(alone).run(context).await,
        _ => put(host, &write.file_path, &write.content).await?,
    };
    Ok(with_diff(
        result,
        host,
        &write.file_path,
        (before, write.content),
    ))
}

pub(super) async fn edit(call: &Call, host: &AcpHost, context: ToolContext<'_>) -> Ran {
    let edit = Edit::parse(&call.args, |_, _, _| ToolResult::text(""))?;
    let path = &edit.file_path;
    let real = context.workspace.resolve(path)?;
    let failed = |why: &dyn std::fmt::Display| NoResult::Failed(format!("{path}: {why}"));
    let before = if host.can(READS) {
        let result = host
            .request("fs/read_text_file", json!({ "path": host.path(path) }))
            .await?;
        result["content"].as_str().unwrap_or_default().to_owned()
    } else {
        std::fs::read_to_string(&real).map_err(|why| failed(&why))?
    };
    let after = edit
        .replaced(&before, context.faults)
        .map_err(|why| failed(&why))?;
    let result = if host.can(WRITES) {
        put(host, path, &after).await?
    } else {
        std::fs::write(&real, &after).map_err(|why| failed(&why))?;
        ToolResult::text("The file was edited")
    };
    Ok(with_diff(result, host, path, (Some(before), after)))
}

/// Writes a whole file through the client.
async fn put(host: &AcpHost, path: &str, content: &str) -> Ran {
    let params = json!({ "path": host.path(path), "content": content });
    host.request("fs/write_text_file", params).await?;
    Ok(ToolResult::text("File written successfully"))
}

/// A result that shows the texts of a file before and after it; a failure stays as it is.
fn with_diff(
    result: ToolResult,
    host: &AcpHost,
    path: &str,
    (before, after): (Option<String>, String),
) -> ToolResult {
    let path = host.path(path);
    let diff = json!([{ "type": "diff", "path": path, "oldText": before, "newText": after }]);
    let details = result.ok.then_some(diff);
    ToolResult { details, ..result }
}
