//! Data that changes on its way, and work that is done more than once.

use super::common::{CALL_DELTA, UNTIL_0_73, V0_87, When};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use serde_json::Value;

const PROMPT: &[&str] = &[
    "own-prompt",
    "scenario:run/prompt-reaches-the-model-unchanged",
];
const OTHER_PROMPT: &[&str] = &["own-prompt"];
const SECOND_BAD_LINE: When = &[(
    "/error",
    "The line is not JSON: expected value at line 1 column 1",
)];

/// Changes a text in every command of this type.
fn change_text(command: &mut Value, kind: &str, member: &str, change: fn(&str) -> String) {
    if command["type"] == kind
        && let Some(text) = command[member].as_str()
    {
        command[member] = change(text).into();
    }
}

/// Changes every value below members with these names, at any depth.
fn change_below(value: &mut Value, names: &[&str], inside: bool, change: fn(&mut Value)) {
    if inside {
        change(value);
    }
    match value {
        Value::Array(items) => {
            for item in items {
                change_below(item, names, inside, change);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                change_below(
                    member,
                    names,
                    inside || names.contains(&name.as_str()),
                    change,
                );
            }
        }
        _ => {}
    }
}

const ARGUMENTS: &[&str] = &["arguments", "args"];

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    start("prompt-is-trimmed", "a prompt loses the white space at its ends", FaultEffect::Command(|c| change_text(c, "prompt", "message", |text| text.trim().to_owned())))
        .caught_by(PROMPT),
    start("prompt-is-escaped", "a prompt is escaped as HTML is", FaultEffect::Command(|c| change_text(c, "prompt", "message", |text| text.replace('&', "&amp;").replace('<', "&lt;"))))
        .caught_by(PROMPT),
    start("prompt-loses-its-lines", "only the first line of a prompt is taken", FaultEffect::Command(|c| change_text(c, "prompt", "message", |text| text.trim_start().lines().next().unwrap_or_default().to_owned())))
        .caught_by(PROMPT),
    start("prompt-is-cut", "a prompt is cut at 64 KiB", FaultEffect::Command(|c| change_text(c, "prompt", "message", |text| text.chars().take(65_536).collect())))
        .caught_by(OTHER_PROMPT),
    // In 0.87, an update has no message.
    frame("partial-stays-empty", "the `partial` of an update holds nothing", "message_update", Op::Set("/assistantMessageEvent/partial/content", "[]")).every().later()
        .caught_by(&["partial-grows"]).only_in(UNTIL_0_73),
    frame("message-stays-empty", "the `message` of an update holds nothing", "message_update", Op::Set("/message/content", "[]")).every().later()
        .caught_by(&["partial-grows"]).only_in(UNTIL_0_73),
    frame("finished-text-is-trimmed", "the finished message has lost the white space at the ends of its text", "", Op::Change(|event| {
        if event["type"] != "message_update" {
            change_below(event, &["content"], false, |value| {
                if let Some(text) = value.get("text").and_then(Value::as_str) {
                    value["text"] = text.trim().into();
                }
            });
        }
    })).every()
        .caught_by(&["deltas-in-message", "blocks-in-message", "cut-keeps-text", "own-prompt"]),
    frame("numbers-become-texts", "the numbers among a call's arguments are told as texts", "", Op::Change(|event| change_below(event, ARGUMENTS, false, |value| {
        if value.is_number() {
            *value = value.to_string().into();
        }
    }))).every()
        .caught_by(&["block-arguments", "scenario:tools/arguments-of-every-kind"]),
    frame("nulls-become-texts", "a null among a call's arguments is told as an empty text", "", Op::Change(|event| change_below(event, ARGUMENTS, false, |value| {
        if value.is_null() {
            *value = "".into();
        }
    }))).every()
        .caught_by(&["block-arguments", "scenario:tools/arguments-of-every-kind"]),
    frame("call-deltas-lose-the-first", "the first piece of a call's arguments is lost", "message_update", Op::Drop).when(CALL_DELTA)
        .caught_by(&["block-json", "block-arguments", "scenario:tools/call-streams-in"]),
    frame("cut-inside-a-character", "large output of a tool is cut inside a character", "tool_execution_end", Op::Line(|line| {
        if line.len() > 10_000
            && let Some(at) = line.windows(2).rposition(|pair| pair == "ö".as_bytes())
        {
            line.remove(at + 1);
        }
    })).every()
        .caught_by(&["json-lines", "result-repeats-content"]),
    bug("tool-runs-twice", "a command of the model is run twice", Bug::ToolRunsTwice)
        .caught_by(&["scenario:tools/one-call", "scenario:tools/three-rounds", "scenario:tools/two-calls-of-one-message"]),
    start("bash-runs-twice", "a shell command of the host is run twice", FaultEffect::Bug(Bug::ShellRunsTwice))
        .caught_by(&["scenario:bash/output-and-exit-code"]),
    frame("usage-is-lost-on-openai", "over OpenAI Chat no input is counted", "", Op::SetIn(("api", "openai-completions"), "/usage/input", "0")).every().later()
        .caught_by(&["scenario:usage/on-the-openai-wire"]).caught_in(V0_87, &["scenario:usage/on-the-openai-wire", "usage-as-finished", "usage-total"]),
    frame("usage-is-lost-on-responses", "over OpenAI Responses no output is counted", "", Op::SetIn(("api", "openai-responses"), "/usage/output", "0")).every().later()
        .caught_by(&["scenario:usage/on-the-responses-wire"]),
    frame("failure-says-nothing", "a message that failed has an empty `errorMessage`", "", Op::SetIn(("stopReason", "error"), "/errorMessage", "\"\"")).every().later()
        .caught_by(&["error-says-why"]),
    frame("last-text-is-lost", "the last piece of a text is not told", "message_update", Op::Drop).when(&[("/assistantMessageEvent/type", "text_delta"), ("/assistantMessageEvent/delta", "there.")])
        .caught_by(&["deltas-in-message", "block-content"]),
    frame("behind-a-tool-nothing-fails", "a message that failed behind a tool stops with `stop`", "", Op::Change(|event| {
        if event["message"]["stopReason"] == "error" && event["message"]["content"].as_array().is_some_and(Vec::is_empty) {
            event["message"]["stopReason"] = "stop".into();
        }
    })).every()
        .caught_by(&["scenario:stop/model-fails-behind-a-tool", "run-messages"]),
];

/// Faults of attachments and of events that only 0.14 has.
#[rustfmt::skip]
pub(super) const V0_14_ONLY: &[Fault] = &[
    start("second-image-is-a-png", "every attached image is sent as PNG", FaultEffect::Command(|c| {
        if let Some(attachments) = c["attachments"].as_array_mut() {
            for attachment in attachments {
                attachment["mimeType"] = "image/png".into();
            }
        }
    }))
        .caught_by(&["scenario:attachments/two-images"]),
    start("preview-is-sent", "the preview of an image is sent in its place", FaultEffect::Command(|c| {
        if let Some(attachments) = c["attachments"].as_array_mut() {
            for attachment in attachments {
                if attachment["preview"].is_string() {
                    attachment["content"] = attachment["preview"].clone();
                }
            }
        }
    }))
        .caught_by(&["scenario:attachments/two-images"]),
    frame("second-bad-line-ignored", "not every line that is not JSON gets an error", "error", Op::Drop).at_start().every().when(SECOND_BAD_LINE)
        .caught_by(&["malformed-answered", "scenario:errors/each-bad-line"]),
    frame("bash-output-is-trimmed", "the output of a shell command loses its last line break", "bash_end", Op::Change(|event| {
        if let Some(output) = event["message"]["output"].as_str() {
            event["message"]["output"] = output.trim_end().into();
        }
    })).at_start().every().later()
        .caught_by(&["scenario:bash/output-is-exact"]),
    frame("error-is-empty", "an `error` says nothing", "error", Op::Set("/error", "\"\"")).at_start().every()
        .caught_by(&["schema/error"]),
];
