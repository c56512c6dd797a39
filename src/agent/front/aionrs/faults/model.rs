//! What the model says and is told.

use crate::agent::faults::{Bug, Fault, Op, Play, bug, frame, start, trim};
use serde_json::json;

/// Nobody listens there.
const NOWHERE: &str = "http://127.0.0.1:1";

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "cumulative-text",
        "every `text_delta` repeats all that was said before",
        "text_delta",
        Op::Cumulate("/text"),
    )
    .every()
    .caught_by(&["scenario:turn/text-is-not-cumulative"]),
    frame(
        "text-held-back",
        "text comes when the turn ends, not as the model says it",
        "text_delta",
        Op::Until("stream_end"),
    )
    .every()
    .caught_by(&["scenario:turn/text-streams", "turn-envelope"]),
    frame(
        "text-is-lost",
        "the first `text_delta` of a turn is lost",
        "text_delta",
        Op::Drop,
    )
    .caught_by(&["scenario:turn/text-is-whole"]),
    frame(
        "text-is-trimmed",
        "every `text_delta` is without the blanks around it",
        "text_delta",
        Op::Change(|frame| trim(frame, "/text")),
    )
    .every()
    .caught_by(&[
        "scenario:turn/text-is-complete",
        "scenario:turn/text-is-whole",
    ]),
    frame(
        "text-is-garbled",
        "the text of a `text_delta` is another than the model said",
        "text_delta",
        Op::Set("/text", "\"?\""),
    )
    .every()
    .caught_by(&["scenario:framing/unicode-round-trip"]),
    frame(
        "thinking-is-lost",
        "the model's thinking is not told",
        "thinking",
        Op::Drop,
    )
    .every()
    .caught_by(&["scenario:turn/thinking"]),
    frame(
        "thinking-is-text",
        "the model's thinking is told as text",
        "thinking",
        Op::Set("/type", "\"text_delta\""),
    )
    .every()
    .caught_by(&["scenario:turn/thinking"]),
    bug(
        "loses-input",
        "the model is not told what the user said",
        Bug::LosesInput,
    )
    .caught_by(&["input-reaches-model"]),
    start(
        "files-are-required",
        "a message without files is refused",
        Play::Command(|command| {
            if command["type"] == "message" && command.get("files").is_none() {
                command["type"] = json!("?");
            }
        }),
    )
    .caught_by(&["scenario:turn/plain"]),
    bug(
        "loses-files",
        "the model is not shown the attached files",
        Bug::LosesFiles,
    )
    .caught_by(&["scenario:attachments/text-file"]),
    start(
        "loses-history",
        "the text of `init_history` is dropped",
        Play::Bug(Bug::LosesHistory),
    )
    .caught_by(&["history-reaches-model"]),
    bug(
        "failure-forgets",
        "a turn that fails clears the conversation",
        Bug::ProviderErrorForgets,
    )
    .caught_by(&["scenario:errors/failure-keeps-the-conversation"]),
    bug(
        "forgets-turns",
        "each turn begins without the ones before",
        Bug::ForgetsTurns,
    )
    .caught_by(&["scenario:turn/one-conversation"]),
    bug(
        "loses-tool-results",
        "the model is not told what a tool gave",
        Bug::LosesToolResults,
    )
    .caught_by(&["scenario:tools/bash", "deny-reason-fed-back"]),
    bug(
        "usage-of-last-request",
        "usage counts only the last request of a turn",
        Bug::UsageOfLastRequest,
    )
    .caught_by(&["scenario:turn/usage-of-several-requests"]),
    start(
        "tool-reads-stdin",
        "a tool reads the agent's stdin",
        Play::Bug(Bug::ToolReadsStdin),
    )
    .caught_by(&["scenario:tools/stdin-is-not-the-protocol"]),
    start(
        "ignores-model",
        "--model changes nothing",
        Play::Options(|options| options.model = None),
    )
    .caught_by(&["scenario:flags/model"]),
    start(
        "ignores-max-tokens",
        "--max-tokens changes nothing",
        Play::Options(|options| options.max_tokens = None),
    )
    .caught_by(&["scenario:flags/max-tokens"]),
    start(
        "ignores-max-turns",
        "--max-turns changes nothing",
        Play::Options(|options| options.max_turns = Some(u32::MAX)),
    )
    .caught_by(&["scenario:flags/max-turns"]),
    start(
        "ignores-system-prompt",
        "--system-prompt changes nothing",
        Play::Options(|options| options.system_prompt = None),
    )
    .caught_by(&["scenario:flags/system-prompt"]),
    start(
        "ignores-workspace",
        "--workspace changes nothing",
        Play::Options(|options| options.workspace = None),
    )
    .caught_by(&["scenario:flags/workspace"]),
    start(
        "ignores-base-url",
        "--base-url changes nothing",
        Play::Options(|options| {
            if options.base_url.is_some() {
                options.base_url = Some(NOWHERE.into());
            }
        }),
    )
    .caught_by(&["scenario:flags/base-url"]),
    start(
        "ignores-base-url-variables",
        "the variables for the base URL change nothing",
        Play::Options(|options| {
            if options.base_url.is_none() {
                options.base_url = Some(NOWHERE.into());
            }
        }),
    )
    .caught_by(&[
        "scenario:flags/anthropic-base-url",
        "scenario:flags/openai-base-url",
    ]),
    start(
        "ignores-provider",
        "--provider changes nothing",
        Play::Options(|options| {
            options.provider = Some("anthropic".into());
            options.keyless = true;
        }),
    )
    .caught_by(&["scenario:flags/openai"]),
];
