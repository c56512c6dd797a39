//! The conversation with the model: requests, replies, history and settings.

use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start, trim};
use serde_json::{Value, json};
use std::collections::HashSet;

/// An address where no server listens.
const NOWHERE: &str = "http://127.0.0.1:1";

/// Replaces a text everywhere in a member.
pub(super) fn replace(frame: &mut Value, pointer: &str, from: &str, to: &str) {
    if let Some(Value::String(text)) = frame.pointer_mut(pointer) {
        *text = text.replace(from, to);
    }
}

/// Truncates a member to this many characters.
fn cut(frame: &mut Value, pointer: &str, length: usize) {
    if let Some(Value::String(text)) = frame.pointer_mut(pointer) {
        *text = text.chars().take(length).collect();
    }
}

/// The last part of a path.
fn file_name(path: &Value) -> Option<String> {
    let name = path.as_str()?.rsplit('/').next()?;
    Some(name.to_owned())
}

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "cumulative-text",
        "every `text_delta` repeats all that was said before",
        "text_delta",
        Op::Cumulate(Some("/msg_id"), "/text"),
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
        "quotes-escaped-twice",
        "the quotes in a `text_delta` have a backslash before them",
        "text_delta",
        Op::Change(|frame| replace(frame, "/text", "\"", "\\\"")),
    )
    .every()
    .caught_by(&["scenario:turn/text-of-every-kind"]),
    frame(
        "joiners-are-lost",
        "characters without a width are taken out of the text",
        "text_delta",
        Op::Change(|frame| {
            for mark in ["\u{200d}", "\u{200e}", "\u{200f}"] {
                replace(frame, "/text", mark, "");
            }
        }),
    )
    .every()
    .caught_by(&["scenario:turn/text-of-every-kind"]),
    frame(
        "long-text-is-cut",
        "a text of more than 1000 characters is cut",
        "text_delta",
        Op::Change(|frame| cut(frame, "/text", 1000)),
    )
    .every()
    .caught_by(&[
        "scenario:turn/text-of-every-kind",
        "scenario:tools/more-than-64-kib",
    ]),
    start(
        "input-is-trimmed",
        "the model is told what the user said without the blanks around it",
        FaultEffect::Command(|command| {
            trim(command, "/input");
            trim(command, "/content");
        }),
    )
    .caught_by(&["input-reaches-model", "scenario:turn/input-as-typed"]),
    start(
        "history-is-one-line",
        "the model is told the text of `init_history` in one line",
        FaultEffect::Command(|command| replace(command, "/text", "\n", " ")),
    )
    .caught_by(&["history-reaches-model", "scenario:history/as-written"]),
    start(
        "reason-is-one-line",
        "the model is told the first line of a denial's reason only",
        FaultEffect::Command(|command| {
            if let Some(line) = command["reason"]
                .as_str()
                .and_then(|reason| reason.lines().next())
            {
                command["reason"] = json!(line);
            }
        }),
    )
    .caught_by(&[
        "deny-reason-fed-back",
        "scenario:deny/reason-of-several-lines",
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
    Fault::ASKS_FOR_A_TITLE,
    Fault::ASKS_FOR_A_SUMMARY,
    Fault::ASKS_TWICE.caught_by(&["scenario:turn/plain"]),
    bug(
        "loses-input",
        "the model is not told what the user said",
        Bug::LosesInput,
    )
    .caught_by(&["input-reaches-model"]),
    start(
        "files-are-required",
        "a message without files is refused",
        FaultEffect::Command(|command| {
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
    frame(
        "stopped-text-comes-late",
        "what was left of a stopped answer is told in the next turn",
        "text_delta",
        Op::Set("/text", "\"wombat-2numbat-3\""),
    )
    .when(&[("/text", "numbat-3")])
    .caught_by(&["scenario:stop/next-turn-is-clean"]),
    frame(
        "same-words-same-answer",
        "the same words again have the answer from before",
        "text_delta",
        Op::Set("/text", "\"quokka-1\""),
    )
    .when(&[("/text", "wombat-2")])
    .caught_by(&["scenario:turn/same-words-again"]),
    frame(
        "later-thinking-lost",
        "the model's thinking behind a tool's result is not told",
        "thinking",
        Op::Drop,
    )
    .when(&[("/text", " Now ")])
    .caught_by(&["scenario:turn/thinking-around-tools"]),
    start(
        "paths-end-at-a-blank",
        "the path of an attached file is cut at its first blank",
        FaultEffect::Command(|command| {
            for file in command["files"].as_array_mut().into_iter().flatten() {
                if let Some((first, _)) = file.as_str().and_then(|path| path.split_once(' ')) {
                    *file = json!(first);
                }
            }
        }),
    )
    .caught_by(&["scenario:attachments/names-of-every-kind"]),
    start(
        "files-of-one-name",
        "of attached files of the same name only the first is shown",
        FaultEffect::Command(|command| {
            if let Some(files) = command["files"].as_array_mut() {
                let mut names = HashSet::new();
                files.retain(|file| names.insert(file_name(file)));
            }
        }),
    )
    .caught_by(&["scenario:attachments/names-of-every-kind"]),
    start(
        "system-prompt-is-one-line",
        "the model is told the first line of the system prompt only",
        FaultEffect::Options(|options| {
            if let Some(prompt) = &mut options.system_prompt {
                *prompt = prompt.lines().next().unwrap_or_default().to_owned();
            }
        }),
    )
    .caught_by(&["scenario:flags/system-prompt-of-several-lines"]),
    bug(
        "images-are-png",
        "the model is shown every image as a PNG",
        Bug::ImagesArePng,
    )
    .caught_by(&["scenario:attachments/image-as-it-is"]),
    start(
        "loses-history",
        "the text of `init_history` is dropped",
        FaultEffect::Bug(Bug::LosesHistory),
    )
    .caught_by(&["history-reaches-model"]),
    start(
        "loses-later-history",
        "only the first text of `init_history` is taken",
        FaultEffect::Bug(Bug::LosesLaterHistory),
    )
    .caught_by(&["scenario:history/in-two-parts", "history-reaches-model"]),
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
        "forgets-first-turn",
        "the first turn of a long conversation is forgotten",
        Bug::ForgetsFirstTurn,
    )
    .caught_by(&["scenario:turn/long-conversation"]),
    bug(
        "forgets-old-results",
        "a later turn knows nothing of what tools were called with, and gave",
        Bug::ForgetsOldResults,
    )
    .caught_by(&[
        "scenario:turn/tools-stay-in-the-conversation",
        "scenario:sessions/resume-with-tools",
    ]),
    frame(
        "control-characters-are-lost",
        "control characters are taken out of the text",
        "text_delta",
        Op::Change(|frame| {
            for mark in ["\u{1}", "\u{7}", "\u{1b}"] {
                replace(frame, "/text", mark, "");
            }
        }),
    )
    .every()
    .caught_by(&["scenario:turn/text-of-every-kind"]),
    frame(
        "repeated-text-is-lost",
        "a `text_delta` that is equal to the one before is lost",
        "text_delta",
        Op::Drop,
    )
    .when(&[("/text", "ha")])
    .caught_by(&["scenario:turn/repeated-pieces"]),
    frame(
        "line-ends-are-one",
        "CR LF in the text is told as LF",
        "text_delta",
        Op::Change(|frame| replace(frame, "/text", "\r\n", "\n")),
    )
    .every()
    .caught_by(&["scenario:turn/repeated-pieces"]),
    frame(
        "separators-are-newlines",
        "U+2028 and U+2029 in the text are told as a newline",
        "text_delta",
        Op::Change(|frame| {
            replace(frame, "/text", "\u{2028}", "\n");
            replace(frame, "/text", "\u{2029}", "\n");
        }),
    )
    .every()
    .caught_by(&["scenario:turn/repeated-pieces"]),
    frame(
        "text-is-cut-at-64-kib",
        "a text of more than 65 536 characters is cut",
        "text_delta",
        Op::Change(|frame| cut(frame, "/text", 65_536)),
    )
    .every()
    .caught_by(&["scenario:turn/text-beyond-64-kib"]),
    frame(
        "thinking-is-trimmed",
        "every `thinking` is without the blanks around it",
        "thinking",
        Op::Change(|frame| trim(frame, "/text")),
    )
    .every()
    .caught_by(&["scenario:turn/thinking-is-whole"]),
    frame(
        "more-thinking-is-lost",
        "a piece of the model's thinking is lost",
        "thinking",
        Op::Drop,
    )
    .when(&[("/text", "think")])
    .caught_by(&["scenario:turn/thinking-is-whole"]),
    start(
        "ids-are-trimmed",
        "a msg_id is told without the blanks around it",
        FaultEffect::Command(|command| trim(command, "/msg_id")),
    )
    .caught_by(&[
        "scenario:turn/message-ids-of-every-kind",
        "turn-has-message",
        "message-answered",
    ]),
    start(
        "ids-are-lower-case",
        "a msg_id is told in lower case",
        FaultEffect::Command(|command| {
            if let Some(id) = command["msg_id"].as_str() {
                command["msg_id"] = json!(id.to_lowercase());
            }
        }),
    )
    .caught_by(&[
        "scenario:turn/message-ids-of-every-kind",
        "turn-has-message",
        "message-answered",
    ]),
    start(
        "ids-are-cut",
        "a msg_id is cut at 64 characters",
        FaultEffect::Command(|command| cut(command, "/msg_id", 64)),
    )
    .caught_by(&[
        "scenario:turn/message-ids-of-every-kind",
        "turn-has-message",
        "message-answered",
    ]),
    bug(
        "forgets-denials",
        "a later turn knows nothing of the calls that were denied",
        Bug::ForgetsDenials,
    )
    .caught_by(&["scenario:turn/everything-stays-in-the-conversation"]),
    bug(
        "forgets-files",
        "a later turn knows nothing of what was attached",
        Bug::ForgetsFiles,
    )
    .caught_by(&["scenario:turn/everything-stays-in-the-conversation"]),
    start(
        "system-prompt-once",
        "the system prompt goes with the first request only",
        FaultEffect::Bug(Bug::SystemPromptOnce),
    )
    .caught_by(&["scenario:flags/hold-for-every-request"]),
    start(
        "max-tokens-once",
        "--max-tokens holds for the first request only",
        FaultEffect::Bug(Bug::MaxTokensOnce),
    )
    .caught_by(&["scenario:flags/hold-for-every-request"]),
    start(
        "tools-once",
        "tools are offered in the first turn only",
        FaultEffect::Bug(Bug::ToolsOnce),
    )
    .caught_by(&["scenario:tools/offered-in-every-turn"]),
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
        FaultEffect::Bug(Bug::ToolReadsStdin),
    )
    .caught_by(&["scenario:tools/stdin-is-not-the-protocol"]),
    start(
        "ignores-model",
        "--model changes nothing",
        FaultEffect::Options(|options| options.model = None),
    )
    .caught_by(&["scenario:flags/model"]),
    start(
        "ignores-max-tokens",
        "--max-tokens changes nothing",
        FaultEffect::Options(|options| options.max_tokens = None),
    )
    .caught_by(&["scenario:flags/max-tokens"]),
    start(
        "ignores-max-turns",
        "--max-turns changes nothing",
        FaultEffect::Options(|options| options.max_turns = Some(u32::MAX)),
    )
    .caught_by(&["scenario:flags/max-turns"]),
    start(
        "ignores-system-prompt",
        "--system-prompt changes nothing",
        FaultEffect::Options(|options| options.system_prompt = None),
    )
    .caught_by(&["scenario:flags/system-prompt"]),
    start(
        "ignores-workspace",
        "--workspace changes nothing",
        FaultEffect::Options(|options| options.workspace = None),
    )
    .caught_by(&["scenario:flags/workspace"]),
    start(
        "ignores-base-url",
        "--base-url changes nothing",
        FaultEffect::Options(|options| {
            if options.base_url.is_some() {
                options.base_url = Some(NOWHERE.into());
            }
        }),
    )
    .caught_by(&["scenario:flags/base-url"]),
    start(
        "ignores-base-url-variables",
        "the variables for the base URL change nothing",
        FaultEffect::Options(|options| {
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
        FaultEffect::Options(|options| {
            options.provider = Some("anthropic".into());
            options.keyless = true;
        }),
    )
    .caught_by(&["scenario:flags/openai"]),
];
