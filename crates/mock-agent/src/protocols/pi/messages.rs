//! "Message Types" and "Content Types" of the specification, other than the assistant's.

use super::PiVersion;
use super::tools::TOOLS_V0_87;
use crate::core::{Prompt, Rates, ReportedCall};
use crate::model::{ContentBlock, Usage};
use crate::protocols::frames::{extended, present};
use crate::tools::shell::ShellResult;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};

/// A clock that counts up from a fixed date, so that the same script gives the same bytes.
#[derive(Debug, Default)]
pub(super) struct CountingClock(u64);

/// The first timestamp, in milliseconds of Unix time.
pub(super) const EPOCH: u64 = 1_764_547_200_000;

impl CountingClock {
    pub(super) fn tick(&mut self) -> u64 {
        self.0 += 1;
        EPOCH + self.0
    }
}

pub(super) fn bare_frame(kind: &str) -> Value {
    json!({ "type": kind })
}

/// "UserMessageWithAttachments".
pub(super) fn user(prompt: &Prompt, timestamp: u64) -> Value {
    let mut content = vec![text(&prompt.text)];
    content.extend(prompt.blocks.iter().filter_map(user_block));
    let attachments = Some(&prompt.attachments).filter(|list| !list.is_empty());
    present(json!({
        "role": "user", "content": content, "attachments": attachments, "timestamp": timestamp,
    }))
}

fn user_block(block: &ContentBlock) -> Option<Value> {
    match block {
        ContentBlock::Text(shown) => Some(text(shown)),
        ContentBlock::Image { media_type, data } => Some(image(media_type, data)),
        _ => None,
    }
}

/// "TextContent".
pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// "ImageContent".
fn image(media_type: &str, data: &str) -> Value {
    json!({ "type": "image", "data": data, "mimeType": media_type })
}

/// "AgentToolResult": the content of a tool's result, and its details if it has any.
pub(super) fn tool_result(outcome: &ToolResult) -> Value {
    let content = match &outcome.output {
        ToolOutput::Text(shown) | ToolOutput::Diff { diff: shown, .. } => text(shown),
        ToolOutput::Image { media_type, data } => image(media_type, data),
    };
    present(json!({ "content": [content], "details": outcome.details }))
}

/// "ToolResultMessage".
pub(super) fn tool_message(call: &ReportedCall, outcome: &ToolResult, timestamp: u64) -> Value {
    let message = json!({ "role": "toolResult", "toolCallId": call.id, "toolName": call.tool });
    extended(
        extended(message, tool_result(outcome)),
        json!({ "isError": !outcome.ok, "timestamp": timestamp }),
    )
}

/// "CompactionSummaryMessage" of a compaction's entry.
pub(super) fn compaction_summary(entry: &Value, timestamp: u64) -> Value {
    json!({
        "role": "compactionSummary",
        "summary": entry["summary"],
        "tokensBefore": entry["tokensBefore"],
        "timestamp": timestamp,
    })
}

/// "BashResult".
pub(super) fn bash_result(executed: &ShellResult) -> Value {
    present(json!({
        "output": executed.output,
        "exitCode": executed.code,
        "cancelled": executed.cancelled,
        "truncated": executed.whole.is_some(),
        "fullOutputPath": executed.whole,
    }))
}

/// "BashExecutionMessage", whose exit code is null if the command was killed.
pub(super) fn bash(executed: &ShellResult, timestamp: u64) -> Value {
    let message = json!({
        "role": "bashExecution", "command": executed.command, "exitCode": null, "timestamp": timestamp,
    });
    extended(message, bash_result(executed))
}

const PREAMBLE: &str = "You are a scripted agent that stands in for a real one.";

/// "SystemMessage": the prompt and the tools, as the first message of a session.
pub(super) fn system_message(timestamp: u64) -> Value {
    let tools = TOOLS_V0_87.iter().map(|tool| {
        json!({ "name": tool.name, "description": tool.purpose, "parameters": (tool.parameters)() })
    });
    let list: String = TOOLS_V0_87
        .iter()
        .map(|tool| format!("- {}: {}\n", tool.name, tool.purpose))
        .collect();
    json!({
        "role": "system",
        "content": "",
        "sections": { "preamble": PREAMBLE, "tools": format!("<tools>\n{list}</tools>") },
        "toolsAdded": tools.collect::<Vec<_>>(),
        "timestamp": timestamp,
    })
}

/// "Usage", which has `totalTokens` since 0.73.
pub(super) fn usage(version: PiVersion, usage: Usage, rates: Rates) -> Value {
    let costs = [
        (usage.input, rates.input),
        (usage.output, rates.output),
        (usage.cache_read, rates.cache_read),
        (usage.cache_write, rates.cache_write),
    ]
    .map(|(tokens, rate)| tokens as f64 * rate / 1e6);
    let [input, output, cache_read, cache_write] = costs.map(dollars);
    let total = usage.input + usage.output + usage.cache_read + usage.cache_write;
    present(json!({
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "cost": {
            "input": input,
            "output": output,
            "cacheRead": cache_read,
            "cacheWrite": cache_write,
            "total": dollars(costs.iter().sum()),
        },
        "totalTokens": (version > PiVersion::V0_14).then_some(total),
    }))
}

fn dollars(cost: f64) -> Value {
    if cost == 0.0 { json!(0) } else { json!(cost) }
}
