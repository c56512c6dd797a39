//! What is otherwise with the faults of 0.73.

use super::super::IN_ANSWERS;
use crate::faults::joined;

/// Faults of 0.73 that are none here, or that nothing here can show.
pub(in crate::protocols::pi) const WITHOUT: &[&str] = &[
    "cycles-to-a-level-of-other-models",
    "state-without-model",
    "thinking-left-out",
    "failed-compaction-without-result",
    "command-of-no-known-place",
    "command-of-another-place",
    "user-attachments-are-a-name",
    // An update has neither the message nor a part of it.
    "start-without-partial",
    "update-without-message",
    "text-start-without-partial",
    "text-delta-without-partial",
    "text-end-without-partial",
    "thinking-start-without-partial",
    "thinking-delta-without-partial",
    "call-start-without-partial",
    "call-delta-without-partial",
    "call-end-without-partial",
    "partial-stays-empty",
    "message-stays-empty",
    // The page leaves open where the stream's start and end come, and for which reason it ends.
    "start-comes-late",
    "text-after-done",
    "done-reason-differs",
    "unknown-done-reason",
];

/// Where the usage of a message is told.
const USAGE: &[&str] = &[
    "scenario:usage/tokens-of-a-message",
    "schema/message_start",
    "schema/message_end",
    "schema/turn_end",
    "schema/agent_end",
    "usage-as-finished",
    "usage-total",
];

/// Where the shape of a usage is told, and what adds it up.
const USAGE_SHAPE: &[&str] =
    &joined::<{ IN_ANSWERS.len() + 2 }>(&[IN_ANSWERS, &["usage-as-finished", "usage-total"]]);

/// What catches faults of 0.73 here, where it is not what catches them there.
#[rustfmt::skip]
pub(in crate::protocols::pi) const CAUGHT_HERE: &[(&str, &[&str])] = &[
    ("bash-has-an-event", &["message-envelope"]),
    ("level-not-told", &["state-of-model", "level-told", "scenario:thinking/cycle"]),
    ("run-never-ends", &["run-envelope", "abort-ends-run", "settled-outside-runs"]),
    ("run-without-prompt", &["run-has-prompt", "run-envelope", "prompt-response-first", "busy-refused", "run-open-at-end", "settled-outside-runs"]),
    ("retry-after-success", &["retry-cause", "retry-envelope", "retry-ends", "retry-first", "retry-attempts", "retry-announced", "retry-success-told"]),
    ("dies-in-the-run", &["stays-alive", "run-envelope", "turn-shape", "answered", "bare-answered", "abort-ends-run", "settles"]),
    ("nul-byte", &["json-lines", "bash-output-told", "bash-answered"]),
    ("invalid-utf8", &["json-lines", "bash-output-told"]),
    ("cut-character", &["json-lines", "bash-output-told"]),
    ("lone-surrogate", &["whole-characters", "bash-output-told"]),
    ("fork-cancel-unsaid", &["scenario:extensions/cancels-sessions", "schema/response.fork"]),
    ("bash-output-is-trimmed", &["scenario:bash/output-is-exact", "bash-output-told"]),
    ("output-lost", &["scenario:bash/output-and-exit-code", "bash-output-told"]),
    ("never-retries", &["scenario:retry/overloaded-once", "scenario:retry/rate-limit-and-server-errors", "will-retry"]),
    ("exits-after-run", &["stays-alive", "prompt-answered", "answered", "bare-answered", "answered-before-exit", "settles"]),
    ("no-final-newline", &["clean-lines", "json-lines", "abort-ends-run", "abort-waits", "run-envelope", "run-ends"]),
    ("no-agent-start", &["run-envelope", "prompt-answered", "settled-once"]),
    ("two-agent-starts", &["run-envelope", "run-has-prompt", "prompt-response-first", "abort-waits"]),
    ("no-turn-end", &["run-envelope", "settled-outside-runs"]),
    ("turn-without-run", &["run-envelope", "settled-outside-runs"]),
    ("turn-long-after-run", &["run-envelope", "settled-outside-runs"]),
    ("call-end-of-another", &["blocks-in-message", "same-call"]),
    ("abort-without-end", &["abort-ends-run", "scenario:abort/while-streaming", "run-open-at-end", "run-ends", "abort-waits", "message-envelope", "run-envelope", "settled-outside-runs"]),
    ("abort-leaves-busy", &["prompt-answered", "scenario:abort/next-run-is-whole", "answered", "bare-answered", "settles"]),
    ("provider-error-leaves-busy", &["scenario:stop/next-run-after-a-failure", "run-envelope"]),
    ("usage-is-zero", USAGE),
    ("retries-refusals", &["scenario:retry/refusals-are-final", "scenario:retry/another-error-ends-it", "retry-announced"]),
    ("usage-is-negative", USAGE_SHAPE),
    ("usage-is-text", USAGE_SHAPE),
    ("usage-is-lost-on-openai", &["scenario:usage/on-the-openai-wire", "usage-as-finished", "usage-total"]),
    ("old-name-told", &["state-of-session", "scenario:session/renamed", "name-told"]),
    ("level-forgotten", &["state-of-model", "scenario:thinking/lasts", "level-told"]),
    ("level-of-nothing-known", &["state-of-model", "scenario:thinking/no-such-level", "level-told"]),
];
