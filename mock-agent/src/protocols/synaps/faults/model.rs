//! Requests to the model.

use crate::faults::{Bug, Fault, FaultEffect, bug, start};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    bug(
        "loses-input",
        "the model is not told what the user said",
        Bug::LosesInput,
    )
    .caught_by(&["scenario:prompt/text-turn"]),
    Fault::ASKS_FOR_A_TITLE,
    Fault::ASKS_FOR_A_SUMMARY,
    Fault::ASKS_TWICE.caught_by(&["scenario:prompt/text-turn"]),
    start(
        "input-is-trimmed",
        "the model is told what the user said without the blanks around it",
        FaultEffect::Command(|command| {
            if let Some(text) = command["message"].as_str() {
                command["message"] = json!(text.trim());
            }
        }),
    )
    .caught_by(&["scenario:prompt/message-as-it-was-written", "history-kept"]),
    start(
        "input-is-escaped",
        "what the user said is escaped as for HTML",
        FaultEffect::Command(|command| {
            if let Some(text) = command["message"].as_str() {
                command["message"] = json!(text.replace('&', "&amp;").replace('<', "&lt;"));
            }
        }),
    )
    .caught_by(&["scenario:prompt/message-as-it-was-written", "history-kept"]),
    start(
        "input-is-cut",
        "of what the user said the model is told 64 KiB at most",
        FaultEffect::Command(|command| {
            if let Some(text) = command["message"].as_str() {
                let end = text.floor_char_boundary(65_536);
                command["message"] = json!(text[..end]);
            }
        }),
    )
    .caught_by(&["scenario:prompt/long-message", "history-kept"]),
    bug(
        "drops-while-busy",
        "a prompt that comes during a turn is accepted, and dropped",
        Bug::DropsWhileBusy,
    )
    .caught_by(&["accepted-message-submitted"]),
    start(
        "input-is-its-first-line",
        "of what the user said the model is told the first line",
        FaultEffect::Command(|command| {
            if let Some(text) = command["message"].as_str().map(str::to_owned) {
                command["message"] = text.lines().next().unwrap_or_default().into();
            }
        }),
    )
    .caught_by(&["scenario:prompt/message-as-it-was-written", "history-kept"]),
    start(
        "follow-up-is-trimmed",
        "the model is told a follow-up without the blanks around it",
        FaultEffect::Command(|command| {
            if command["type"] == "follow_up" {
                let text = command["message"]
                    .as_str()
                    .map(|text| text.trim().to_owned());
                command["message"] = text.into();
            }
        }),
    )
    .caught_by(&["scenario:session/follow-up-as-it-was-written"]),
    start(
        "says-the-same-once",
        "a message that is the same as the one before is accepted, and dropped",
        FaultEffect::Bug(Bug::DropsRepeatedPrompt),
    )
    .caught_by(&["scenario:prompt/the-same-message-again"]),
    start(
        "follow-up-is-empty",
        "the model is told nothing of what a follow-up says",
        FaultEffect::Command(|command| {
            if command["type"] == "follow_up" {
                command["message"] = "(nothing)".into();
            }
        }),
    )
    .caught_by(&["scenario:session/follow-up-continues", "history-kept"]),
];
