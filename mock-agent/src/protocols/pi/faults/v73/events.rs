//! Events of runs, messages and tools.

use super::event;
use crate::faults::{Fault, Op};

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    event("event-with-id", "an event has an id", "agent_start", Op::Set("/id", "\"e1\""), &["event-without-id"]),
    event("ends-in-the-run", "the process ends when its stdin does, in the middle of a run", "message_update", Op::Exit(0), &["run-open-at-end", "scenario:startup/end-of-file-during-a-run"]).when(&[("/assistantMessageEvent/delta", "two"), ("/assistantMessageEvent/contentIndex", "1")]).later(),
    event("another-model-at-the-end", "a message ends as another model's", "message_end", Op::Set("/message/model", "\"stranger\""), &["same-speaker", "turn-end-message", "run-messages"]).when(&[("/message/role", "assistant")]),
    event("tool-works-after-its-end", "a tool tells of its progress when it is over", "tool_execution_update", Op::Late("tool_execution_end"), &["tool-lifecycle"]).later(),
    event("update-of-other-args", "the progress of a tool has other args", "tool_execution_update", Op::Set("/args", "{}"), &["tool-update-repeats-start"]),
    event("update-without-result", "the progress of a tool has no partial result", "tool_execution_update", Op::Remove("/partialResult"), &["schema/tool_execution_update"]),
    event("update-result-is-text", "the progress of a tool is a text", "tool_execution_update", Op::Set("/partialResult", "\"working\""), &["schema/tool_execution_update"]),
    event("update-without-content", "the progress of a tool has no content", "tool_execution_update", Op::Remove("/partialResult/content"), &["schema/tool_execution_update"]),
    event("updates-stay-empty", "the progress of a tool never has what it wrote", "tool_execution_update", Op::Set("/partialResult/content", "[]"), &["scenario:tools/progress-keeps-what-was-told", "scenario:tools/progress-is-told-at-work"]).every().later(),
    event("update-is-a-delta", "the progress of a tool is only what is new", "tool_execution_update", Op::Change(|frame| {
        let text = &mut frame["partialResult"]["content"][0]["text"];
        let last = text.as_str().and_then(|text| text.lines().last()).map(str::to_owned);
        if let Some(last) = last {
            *text = last.into();
        }
    }), &["tool-update-accumulates", "scenario:tools/progress-is-told-at-work"]).every().later(),
    event("failure-is-a-success", "the execution of a tool that failed is told as a success", "tool_execution_end", Op::Set("/isError", "false"), &["result-repeats-end"]).when(&[("/isError", "true")]).later(),
];
