//! Members that are missing or have wrong values.

use super::model::replace;
use crate::faults::{Fault, Op, frame};
use crate::protocols::aionrs::version::V0_1;
use serde_json::{Value, json};

/// A member is missing.
const fn missing(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    member: &'static str,
    rule: &'static [&'static str],
) -> Fault {
    frame(id, summary, on, Op::Remove(member)).caught_by(rule)
}

/// A member has a wrong value.
const fn wrong(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    member: &'static str,
    value: &'static str,
    rule: &'static [&'static str],
) -> Fault {
    frame(id, summary, on, Op::Set(member, value)).caught_by(rule)
}

fn swap_usage(frame: &mut Value) {
    if let Some(usage) = frame.get_mut("usage").and_then(Value::as_object_mut) {
        let input = usage
            .insert("input_tokens".into(), Value::Null)
            .unwrap_or_default();
        let output = usage
            .insert("output_tokens".into(), input)
            .unwrap_or_default();
        usage.insert("input_tokens".into(), output);
    }
}

fn dedent(frame: &mut Value) {
    if let Some(output) = frame["output"].as_str() {
        let lines: Vec<_> = output.lines().map(str::trim_start).collect();
        frame["output"] = json!(lines.join("\n"));
    }
}

/// Rounds a number to 53 bits.
fn round(frame: &mut Value) {
    if let Some(number) = frame.pointer_mut("/tool/args/big")
        && let Some(whole) = number.as_u64()
    {
        *number = json!(whole - whole % 4096);
    }
}

fn first_line(frame: &mut Value) {
    if let Some(line) = frame["output"]
        .as_str()
        .and_then(|output| output.lines().next())
    {
        frame["output"] = json!(line);
    }
}

/// Removes the last byte of a long line's last multi-byte character.
fn cut_in_a_character(line: &mut Vec<u8>) {
    let last = line.iter().rposition(|byte| *byte >= 0x80);
    if let Some(last) = last.filter(|last| *last > 20_000) {
        line.remove(last);
    }
}

const READY: &[&str] = &["schema/ready"];
const TEXT: &[&str] = &["schema/text_delta"];
const THINKING: &[&str] = &["schema/thinking"];
const REQUEST: &[&str] = &["schema/tool_request"];
const RUNNING: &[&str] = &["schema/tool_running"];
const RESULT: &[&str] = &["schema/tool_result"];
const CANCELLED: &[&str] = &["schema/tool_cancelled"];
const END: &[&str] = &["schema/stream_end"];
const ERROR: &[&str] = &["schema/error"];
const INFO: &[&str] = &["schema/info"];

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    missing("ready-without-version", "`ready` has no version", "ready", "/version", READY).at_start(),
    missing("ready-without-capabilities", "`ready` has no capabilities", "ready", "/capabilities", READY).at_start(),
    missing("ready-without-tool-approval", "`ready` does not say whether tools are asked for", "ready", "/capabilities/tool_approval", READY).at_start(),
    wrong("thinking-capability-is-text", "a capability is a text", "ready", "/capabilities/thinking", "\"yes\"", READY).at_start(),
    wrong("mcp-capability-is-null", "a capability is null", "ready", "/capabilities/mcp", "null", READY).at_start(),
    wrong("empty-session-id", "the session's id is empty", "ready", "/session_id", "\"\"", READY).at_start(),
    wrong("denies-approval", "`ready` says that tools are not asked for", "ready", "/capabilities/tool_approval", "false", &["capability-approval"]).at_start().later(),
    wrong("denies-thinking", "`ready` says that there is no thinking", "ready", "/capabilities/thinking", "false", &["capability-thinking"]).at_start().later().only_in(V0_1),
    wrong("denies-mcp", "`ready` says that there are no MCP tools", "ready", "/capabilities/mcp", "false", &["capability-mcp"]).at_start().later(),
    missing("delta-without-text", "a `text_delta` has no text", "text_delta", "/text", TEXT),
    wrong("text-is-a-number", "the text of a `text_delta` is a number", "text_delta", "/text", "7", TEXT),
    missing("thinking-without-text", "a `thinking` has no text", "thinking", "/text", THINKING),
    missing("request-without-tool", "a request does not say which tool", "tool_request", "/tool", REQUEST),
    missing("request-without-tool-name", "a request does not name the tool", "tool_request", "/tool/name", REQUEST),
    missing("request-without-category", "a request has no category", "tool_request", "/tool/category", REQUEST),
    missing("request-without-args", "a request has no arguments", "tool_request", "/tool/args", REQUEST),
    missing("request-without-description", "a request has no description", "tool_request", "/tool/description", REQUEST),
    wrong("args-are-text", "the arguments of a request are a text", "tool_request", "/tool/args", "\"{}\"", REQUEST),
    wrong("args-are-lost", "the arguments of a request are empty", "tool_request", "/tool/args", "{}", &["scenario:approval/arguments-as-given"]).every(),
    wrong("unknown-category", "a request has a category that the page does not know", "tool_request", "/tool/category", "\"shell\"", REQUEST),
    wrong("description-of-two-lines", "the description of a request has two lines", "tool_request", "/tool/description", "\"one\\ntwo\"", REQUEST),
    wrong("tool-renamed", "a built-in tool has another name", "tool_request", "/tool/name", "\"Shell\"", &["scenario:tools/bash"]).when(&[("/tool/name", "Bash")]).every().only_in(V0_1),
    missing("running-without-tool-name", "`tool_running` does not name the tool", "tool_running", "/tool_name", RUNNING),
    missing("result-without-status", "`tool_result` has no status", "tool_result", "/status", RESULT),
    wrong("unknown-status", "`tool_result` has a status that the page does not know", "tool_result", "/status", "\"ok\"", RESULT),
    wrong("success-is-an-error", "a tool that did its work has the status error", "tool_result", "/status", "\"error\"", &["scenario:tools/bash"]).when(&[("/status", "success")]).every(),
    wrong("error-is-a-success", "a tool that failed has the status success", "tool_result", "/status", "\"success\"", &["scenario:tools/error-status"]).when(&[("/status", "error")]).every(),
    missing("result-without-output", "`tool_result` has no output", "tool_result", "/output", RESULT),
    wrong("output-is-a-list", "the output of a tool is a list", "tool_result", "/output", "[\"a\"]", RESULT),
    wrong("output-is-lost", "the output of a tool is empty", "tool_result", "/output", "\"\"", &["scenario:tools/bash"]).every(),
    wrong("unknown-output-type", "`tool_result` has an output_type that the page does not know", "tool_result", "/output_type", "\"markdown\"", RESULT),
    wrong("output-of-failures-lost", "the output of a tool that failed is empty", "tool_result", "/output", "\"\"", &["scenario:tools/output-of-a-failure"]).when(&[("/status", "error")]).every(),
    frame("read-is-cached", "a file that was read is told as it was", "tool_result", Op::Change(|frame| replace(frame, "/output", "wombat-2", "quokka-1"))).when(&[("/tool_name", "Read")]).every().caught_by(&["scenario:tools/read-again"]),
    frame("outputs-are-one", "calls side by side are told with the same output", "tool_result", Op::Change(|frame| replace(frame, "/output", "quokka-7", "wombat-8"))).when(&[("/tool_name", "Read")]).every().caught_by(&["scenario:parallel/each-with-its-own"]),
    wrong("args-of-the-first", "the calls of one answer are asked for with the arguments of the first", "tool_request", "/tool/args/content", "\"one\"", &["scenario:parallel/each-with-its-own"]).when(&[("/tool/args/content", "two")]).every(),
    wrong("text-is-a-diff", "plain text has the output_type diff", "tool_result", "/output_type", "\"diff\"", &["scenario:tools/write"]).when(&[("/output_type", "text")]).every(),
    wrong("diff-is-text", "a diff has the output_type text", "tool_result", "/output_type", "\"text\"", &["edit-gives-diff"]).when(&[("/output_type", "diff")]),
    missing("diff-without-metadata", "a diff does not name its file", "tool_result", "/metadata", &["edit-gives-diff"]).when(&[("/output_type", "diff")]),
    wrong("image-is-not-base64", "an image is not in base64", "tool_result", "/output", "\"<png>\"", RESULT).when(&[("/output_type", "image")]),
    missing("cancelled-without-reason", "`tool_cancelled` has no reason", "tool_cancelled", "/reason", CANCELLED),
    missing("end-without-usage", "`stream_end` has no usage", "stream_end", "/usage", &["schema/stream_end", "scenario:turn/usage"]),
    missing("usage-without-output-tokens", "usage does not count the output", "stream_end", "/usage/output_tokens", END),
    wrong("usage-is-negative", "usage counts below zero", "stream_end", "/usage/input_tokens", "-1", END),
    wrong("usage-with-a-fraction", "usage counts with a fraction", "stream_end", "/usage/input_tokens", "10.0", END),
    wrong("usage-is-text", "usage counts in texts", "stream_end", "/usage/input_tokens", "\"10\"", END),
    wrong("usage-of-an-earlier-turn", "the usage of the third turn is that of the first", "stream_end", "/usage/input_tokens", "100", &["scenario:turn/usage-of-two-turns"]).when(&[("/usage/input_tokens", "400")]),
    wrong("usage-is-zero", "usage counts nothing", "stream_end", "/usage", "{\"input_tokens\":0,\"output_tokens\":0}", &["scenario:turn/usage-as-reported"]).every(),
    frame("usage-is-swapped", "usage counts the input as output, and the output as input", "stream_end", Op::Change(swap_usage)).every().caught_by(&["scenario:turn/usage-as-reported"]),
    frame("output-without-blanks", "the output of a tool is without the blanks at the start of its lines", "tool_result", Op::Change(dedent)).every().caught_by(&["scenario:tools/output-as-printed"]),
    frame("first-line-of-glob", "Glob gives the first file only", "tool_result", Op::Change(first_line)).when(&[("/tool_name", "Glob")]).caught_by(&["scenario:tools/glob"]),
    frame("output-cut-in-a-character", "long output is cut in the middle of a character", "tool_result", Op::Line(cut_in_a_character)).every().caught_by(&["utf8", "json-lines"]),
    wrong("numbers-are-text", "a number in the arguments of a request is a text", "tool_request", "/tool/args/timeout", "\"2500\"", &["scenario:approval/arguments-of-every-kind"]).when(&[("/tool/args/timeout", "2500")]),
    frame("big-numbers-are-rounded", "whole numbers beyond 53 bits in the arguments of a request are rounded", "tool_request", Op::Change(round)).caught_by(&["scenario:approval/arguments-at-the-edges"]).every(),
    missing("empty-texts-are-lost", "an empty text in the arguments of a request is missing", "tool_request", "/tool/args/empty", &["scenario:approval/arguments-at-the-edges"]).when(&[("/tool/args/empty", "")]),
    missing("nulls-are-lost", "what is null in the arguments of a request is missing", "tool_request", "/tool/args/nothing", &["scenario:approval/arguments-of-every-kind"]).when(&[("/tool/args/nothing", "null")]),
    missing("error-without-code", "an `error` has no code", "error", "/error/code", ERROR),
    missing("error-without-message", "an `error` has no message", "error", "/error/message", ERROR),
    missing("error-without-retryable", "an `error` does not say whether a retry may help", "error", "/error/retryable", ERROR),
    wrong("error-is-text", "an `error` is a text", "error", "/error", "\"it failed\"", ERROR),
    wrong("retryable-is-text", "retryable is a text", "error", "/error/retryable", "\"no\"", ERROR),
    missing("info-without-message", "an `info` has no message", "info", "/message", INFO),
    missing("info-without-msg-id", "an `info` has no msg_id", "info", "/msg_id", INFO),
];
