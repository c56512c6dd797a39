//! Requests to the model, and the usage and model in messages.

use super::common::{USAGE, V0_14, V0_87};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use serde_json::Value;

pub(super) const FAULTS: &[Fault] = &[
    Fault::ASKS_FOR_A_TITLE,
    Fault::ASKS_FOR_A_SUMMARY,
    Fault::ASKS_TWICE.caught_by(&["scenario:startup/first-command-is-served"]),
    bug(
        "loses-prompt",
        "the model is not told what the user said",
        Bug::LosesInput,
    )
    .caught_by(&["scenario:startup/first-command-is-served"]),
    bug(
        "forgets-runs",
        "each run begins without the ones before",
        Bug::ForgetsTurns,
    )
    .caught_by(&["scenario:run/two-runs-one-conversation"]),
    bug(
        "forgets-first-run",
        "the first run is forgotten after the second",
        Bug::ForgetsFirstTurn,
    )
    .caught_by(&["scenario:run/three-turns", "scenario:run/many-runs"]),
    start(
        "max-tokens-once",
        "the limit of the reply is another one from the second request on",
        FaultEffect::Bug(Bug::MaxTokensOnce),
    )
    .caught_by(&["scenario:tools/offered-in-every-run"]),
    start(
        "tools-once",
        "tools are offered in the first run only",
        FaultEffect::Bug(Bug::ToolsOnce),
    )
    .caught_by(&["scenario:tools/offered-in-every-run"]),
    // In 0.73 and later, attachments are images.
    start(
        "loses-images",
        "attached images are dropped",
        FaultEffect::Command(|command| drop_attachments(command, "image")),
    )
    .caught_by(&["scenario:attachments/image"]).only_in(V0_14),
    start(
        "loses-documents",
        "attached documents are dropped",
        FaultEffect::Command(|command| drop_attachments(command, "document")),
    )
    .caught_by(&["scenario:attachments/document"]).only_in(V0_14),
    start(
        "loses-second-attachment",
        "only the first of several attachments is taken",
        FaultEffect::Command(|command| {
            if let Some(list) = command["attachments"].as_array_mut() {
                list.truncate(1);
            }
        }),
    )
    .caught_by(&["scenario:attachments/several"]).only_in(V0_14),
    start(
        "attachments-are-required",
        "a prompt without attachments is refused",
        FaultEffect::Command(|command| {
            if command["type"] == "prompt" && command.get("attachments").is_none() {
                command["type"] = "?".into();
            }
        }),
    )
    .caught_by(&["scenario:attachments/none"]).only_in(V0_14),
    frame(
        "user-text-lost",
        "the user message does not hold the prompt",
        "",
        Op::SetIn(("role", "user"), "/content", r#"[{"type":"text","text":""}]"#),
    )
    .every()
    .caught_by(&["scenario:run/user-message", "own-prompt"]),
    frame(
        "usage-is-zero",
        "usage counts nothing",
        "",
        Op::SetIn(
            ("role", "assistant"),
            "/usage",
            r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#,
        ),
    )
    .every()
    .caught_by(&["scenario:usage/tokens-of-a-message"]).caught_in(V0_87, USAGE),
    frame(
        "cost-total-is-zero",
        "the total of the cost is less than its parts",
        "",
        Op::SetIn(("role", "assistant"), "/usage/cost/total", "0"),
    )
    .every()
    .later()
    .caught_by(&["cost-total"]),
    // No scenario of 0.73 and later shows it.
    frame(
        "cost-total-is-too-high",
        "the total of the cost is more than its parts",
        "",
        Op::SetIn(("role", "assistant"), "/usage/cost/total", "1000"),
    )
    .every()
    .later()
    .caught_by(&["cost-total", "scenario:usage/total-of-the-cost"]).only_in(V0_14),
];

fn drop_attachments(command: &mut Value, kind: &str) {
    if let Some(list) = command["attachments"].as_array_mut() {
        list.retain(|attachment| attachment["type"] != kind);
    }
}
