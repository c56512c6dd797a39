//! Errors that are missing or wrong.

use super::common::{SINCE_0_73, V0_14, V0_73, V0_87};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "bad-line-ignored",
        "a line that is not JSON is ignored",
        "error",
        Op::Drop,
    )
    .at_start()
    .every()
    .caught_by(&["malformed-answered"])
    .only_in(V0_14),
    start(
        "bad-line-exits",
        "a line that is not JSON ends the process",
        FaultEffect::Bug(Bug::BadCommandExits),
    )
    .caught_by(&["stays-alive", "bash-answered"])
    .caught_in(
        SINCE_0_73,
        &[
            "stays-alive",
            "answered",
            "answered-before-exit",
            "malformed-answered",
        ],
    ),
    // No scenario of 0.73 and later shows it.
    bug(
        "bad-line-ends-run",
        "a line that is not JSON ends the run",
        Bug::BadCommandEndsTurn,
    )
    .caught_by(&["scenario:errors/during-a-run", "aborted-by-abort"])
    .only_in(V0_14),
    // No scenario of 0.73 and later shows it.
    start(
        "error-first",
        "an `error` comes before any command",
        FaultEffect::Bug(Bug::ReportsFailureFirst),
    )
    .caught_by(&["error-has-cause"])
    .only_in(V0_14),
    // 0.73 and later have other commands.
    start(
        "unknown-type-is-a-prompt",
        "a command of an unknown type starts a run",
        FaultEffect::Command(|command| {
            const KNOWN: [&str; 4] = ["prompt", "abort", "compact", "bash"];
            let kind = command["type"].as_str().unwrap_or_default();
            if !KNOWN.contains(&kind) {
                *command = serde_json::json!({ "type": "prompt", "message": kind });
            }
        }),
    )
    .caught_by(&["scenario:errors/unknown-type", "run-has-prompt"])
    .only_in(V0_14),
    start(
        "crlf-is-bad",
        "a command that ends in CR LF is refused",
        FaultEffect::Bug(Bug::CrLfIsBad),
    )
    .caught_in(SINCE_0_73, &["scenario:framing/crlf", "answered"]),
    start(
        "blank-line-is-bad",
        "a blank line is refused",
        FaultEffect::Bug(Bug::BlankLineIsBad),
    ),
    start(
        "invalid-utf8-is-eof",
        "bytes on stdin that are not UTF-8 are taken for its end",
        FaultEffect::Bug(Bug::InvalidUtf8IsEof),
    ),
    // No scenario of 0.73 and later shows it.
    start(
        "long-line-is-bad",
        "a command of more than 1 MiB is refused",
        FaultEffect::Bug(Bug::LongLineIsBad),
    )
    .caught_by(&["scenario:attachments/large"])
    .only_in(V0_14),
    // 0.73 and later have other commands.
    start(
        "extra-field-is-bad",
        "a command with an unknown field is refused",
        FaultEffect::Command(|command| {
            const KNOWN: [&str; 5] = [
                "type",
                "message",
                "attachments",
                "customInstructions",
                "command",
            ];
            let unknown = |map: &serde_json::Map<_, _>| {
                map.keys()
                    .any(|key: &String| !KNOWN.contains(&key.as_str()))
            };
            if command.as_object().is_some_and(unknown) {
                command["type"] = "?".into();
            }
        }),
    )
    .caught_by(&["scenario:framing/extra-fields"])
    .only_in(V0_14),
    frame(
        "error-is-stop",
        "a message that failed stops with `stop`",
        "",
        Op::SetIn(("stopReason", "error"), "/stopReason", "\"stop\""),
    )
    .every()
    .caught_by(&["scenario:stop/model-refuses", "stream-end-reason"]),
    frame(
        "length-is-stop",
        "a message that was cut at the limit stops with `stop`",
        "",
        Op::SetIn(("stopReason", "length"), "/stopReason", "\"stop\""),
    )
    .every()
    .caught_by(&["scenario:stop/length", "stream-end-reason"]),
    bug(
        "provider-error-exits",
        "an error of the model ends the process",
        Bug::ProviderErrorExits,
    )
    .caught_by(&["stays-alive"])
    .caught_in(SINCE_0_73, &["stays-alive", "run-envelope"]),
    bug(
        "provider-error-leaves-busy",
        "no run begins after an error of the model",
        Bug::ProviderErrorLeavesBusy,
    )
    .caught_by(&["scenario:stop/next-run-after-a-failure", "run-open-at-end"])
    .caught_in(
        V0_73,
        &["scenario:stop/next-run-after-a-failure", "run-envelope"],
    )
    .caught_in(
        V0_87,
        &["scenario:stop/next-run-after-a-failure", "run-envelope"],
    ),
];
