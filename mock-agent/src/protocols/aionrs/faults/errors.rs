//! Errors that are missing or wrong.

use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use crate::protocols::aionrs::version::V0_1;
use serde_json::json;

const PROVIDER: &[(&str, &str)] = &[("/error/code", "provider_error")];
const PROTOCOL: &[(&str, &str)] = &[("/error/code", "protocol_error")];
const CONFIG: &[(&str, &str)] = &[("/error/code", "config_error")];

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "bad-command-ignored",
        "a line that is no command is ignored",
        "error",
        Op::Drop,
    )
    .at_start()
    .when(PROTOCOL)
    .every()
    .caught_by(&["bad-command-answered"]),
    start(
        "message-without-text-ignored",
        "a `message` without its text is passed over",
        FaultEffect::Command(|command| {
            let text = command.get("input").or(command.get("content"));
            if command["type"] == "message" && text.is_none() {
                *command = json!({ "type": "stop" });
            }
        }),
    )
    .caught_by(&["scenario:invalid/not-a-command"]),
    frame(
        "missing-file-ends-session",
        "an attached file that cannot be read ends the process",
        "error",
        Op::Exit(1),
    )
    .when(&[("/error/code", "protocol_error"), ("/msg_id", "m1")])
    .caught_by(&["scenario:attachments/missing-file", "stays-alive"]),
    frame(
        "bad-command-is-internal",
        "the answer to a bad command has the code internal_error",
        "error",
        Op::Set("/error/code", "\"internal_error\""),
    )
    .at_start()
    .when(PROTOCOL)
    .every()
    .later()
    .caught_by(&["bad-command-answered", "scenario:invalid/malformed-json"]),
    frame(
        "bad-command-retryable",
        "the answer to a bad command says that a retry may help",
        "error",
        Op::Set("/error/retryable", "true"),
    )
    .at_start()
    .when(PROTOCOL)
    .caught_by(&["protocol-error-final"]),
    start(
        "bad-command-exits",
        "a bad command ends the process",
        FaultEffect::Bug(Bug::BadCommandExits),
    )
    .caught_by(&["stays-alive"]),
    bug(
        "bad-command-ends-turn",
        "a bad command ends the turn",
        Bug::BadCommandEndsTurn,
    )
    .caught_by(&["scenario:invalid/while-a-request-is-open", "approval-runs"]),
    start(
        "invalid-utf8-is-eof",
        "bytes on stdin that are not UTF-8 are taken for its end",
        FaultEffect::Bug(Bug::InvalidUtf8IsEof),
    ),
    start(
        "crlf-is-bad",
        "a command that ends in CR LF is refused",
        FaultEffect::Bug(Bug::CrLfIsBad),
    )
    .caught_by(&["scenario:framing/crlf"]),
    start(
        "blank-line-is-bad",
        "a blank line is refused",
        FaultEffect::Bug(Bug::BlankLineIsBad),
    )
    .caught_by(&["scenario:framing/blank-lines"]),
    start(
        "long-line-is-bad",
        "a command of more than 1 MiB is refused",
        FaultEffect::Bug(Bug::LongLineIsBad),
    )
    .caught_by(&["scenario:framing/long-line"]),
    start(
        "extra-field-is-bad",
        "a command with an unknown field is refused",
        FaultEffect::Command(|command| {
            const KNOWN: [&str; 9] = [
                "type", "msg_id", "input", "files", "call_id", "scope", "reason", "text", "mode",
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
    .only_in(V0_1),
    frame(
        "empty-success",
        "a failure of the model is not told",
        "error",
        Op::Drop,
    )
    .when(PROVIDER)
    .caught_by(&["provider-failure-told"]),
    frame(
        "error-says-nothing",
        "the message of an `error` is empty",
        "error",
        Op::Set("/error/message", "\"\""),
    )
    .caught_by(&["schema/error"]),
    bug(
        "retries-refusals",
        "a request that the API refused is made again",
        Bug::RepeatsRefusedRequest,
    )
    .caught_by(&["scenario:errors/bad-request-is-final"]),
    frame(
        "unknown-error-code",
        "a provider error has a code that the page does not know",
        "error",
        Op::Set("/error/code", "\"engine_error\""),
    )
    .when(PROVIDER)
    .caught_by(&["schema/error"]),
    frame(
        "provider-error-is-internal",
        "a provider error has the code internal_error",
        "error",
        Op::Set("/error/code", "\"internal_error\""),
    )
    .when(PROVIDER)
    .caught_by(&["scenario:errors/code"]),
    frame(
        "rate-limit-is-final",
        "a rate limit is said to be final",
        "error",
        Op::Set("/error/retryable", "false"),
    )
    .when(&[
        ("/error/code", "provider_error"),
        ("/error/retryable", "true"),
    ])
    .caught_by(&["scenario:errors/rate-limit-is-retryable"]),
    frame(
        "refused-key-is-retryable",
        "a refused key is said to be worth a retry",
        "error",
        Op::Set("/error/retryable", "true"),
    )
    .when(&[
        ("/error/code", "provider_error"),
        ("/error/retryable", "false"),
    ])
    .caught_by(&["scenario:errors/refused-key-is-final"]),
    bug(
        "provider-error-exits",
        "a provider error ends the process",
        Bug::ProviderErrorExits,
    )
    .caught_by(&["stays-alive"])
    .only_in(V0_1),
    bug(
        "provider-error-leaves-busy",
        "no turn begins after a provider error",
        Bug::ProviderErrorLeavesBusy,
    )
    .caught_by(&["scenario:errors/rate-limit", "message-answered"])
    .only_in(V0_1),
    frame(
        "config-error-is-internal",
        "a fatal error of the settings has the code internal_error",
        "error",
        Op::Set("/error/code", "\"internal_error\""),
    )
    .at_start()
    .when(CONFIG)
    .caught_by(&["scenario:fatal/no-anthropic-key"]),
    frame(
        "config-error-retryable",
        "a fatal error says that a retry may help",
        "error",
        Op::Set("/error/retryable", "true"),
    )
    .at_start()
    .when(CONFIG)
    .caught_by(&["fatal-error-final"]),
];
