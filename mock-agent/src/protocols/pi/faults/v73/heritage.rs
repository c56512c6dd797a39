//! What is otherwise with the faults of 0.14.

use super::super::CASCADE;
use super::Rules;
use crate::faults::joined;

/// Faults of 0.14 that are none here.
pub(in crate::protocols::pi) const WITHOUT: &[&str] = &[
    // The start and the end of the stream are not passed on.
    "done-twice",
    // A `bash` is answered by a response.
    "bash-ignores-abort",
    // Attachments of prompts are images here.
    "loses-images",
    "second-image-is-a-png",
    "preview-is-sent",
    // A tool may begin before the message ends.
    "tool-starts-before-message-ends",
    // What the user said may come before its turn.
    "user-message-before-turn",
    // There is no event `error`.
    "second-bad-line-ignored",
    "error-is-empty",
    "bash-output-is-trimmed",
    "loses-documents",
    "loses-second-attachment",
    "attachments-are-required",
    // Commands have other types and fields here.
    "unknown-type-is-a-prompt",
    "extra-field-is-bad",
    "instructions-are-required",
    // No scenario of this version shows these.
    "keeps-no-session",
    "drops-while-busy",
    "empty-answer-stuck",
    "tool-reads-stdin",
    "abort-keeps-tool",
    "abort-keeps-children",
    "abort-forgets",
    "cost-total-is-too-high",
    "bad-line-ends-run",
    "error-first",
    "long-line-is-bad",
];

/// What the end of the process in a run leaves open.
const CRASH: Rules = &[
    "stays-alive",
    "run-envelope",
    "turn-shape",
    "message-envelope",
    "tool-lifecycle",
    "block-order",
    "abort-ends-run",
    "answered",
    "bare-answered",
    "prompt-answered",
    "no-orphans",
];

/// Where what messages hold is told, and what compares it.
const CONTENT: Rules = &joined::<{ CASCADE.len() + 4 }>(&[
    CASCADE,
    &[
        "schema/tool_execution_update",
        "schema/response.get_messages",
        "tool-lifecycle",
        "result-repeats-content",
    ],
]);

/// What catches faults of 0.14 here, where it is not what catches them there.
#[rustfmt::skip]
pub(in crate::protocols::pi) const CAUGHT_HERE: &[(&str, Rules)] = &[
    ("costs-are-zero", &["cost-at-rates", "stats-cost", "scenario:session/stats", "scenario:session/stats-with-a-cache"]),
    ("flag-gone", &["stays-alive", "answered", "answered-before-exit", "bare-answered", "prompt-answered", "malformed-answered"]),
    ("keeps-session", &["scenario:startup/no-session"]),
    ("crash-at-prompt", &["prompt-answered", "bare-answered", "answered", "stays-alive"]),
    ("crash-in-run", CRASH),
    ("abort-in-run", CRASH),
    ("killed-in-tool", CRASH),
    ("no-final-newline", &["clean-lines", "json-lines", "abort-ends-run"]),
    ("half-a-line", &["json-lines", "clean-lines", "stays-alive", "abort-ends-run", "run-envelope", "answered", "bare-answered"]),
    ("crlf-is-bad", &["scenario:framing/crlf", "answered"]),
    ("two-agent-starts", &["run-envelope", "run-has-prompt", "prompt-response-first"]),
    ("no-agent-end", &["run-ends", "run-envelope", "scenario:startup/end-of-file-during-a-run"]),
    ("silence-in-run", &["scenario:run/order-of-events", "abort-ends-run", "prompt-answered", "run-open-at-end", "message-envelope", "run-envelope", "turn-shape"]),
    ("turn-end-without-results", &["turn-end-results", "results-in-order"]),
    ("turn-end-with-half-the-results", &["turn-end-results", "results-in-order"]),
    ("turn-end-result-altered", &["turn-end-results", "results-in-order"]),
    ("message-start-late", &["message-envelope", "block-order"]),
    ("thinking-start-lost", &["block-order", "scenario:run/thinking-blocks-are-opened-and-closed"]),
    ("thinking-end-lost", &["block-order", "scenario:run/thinking-blocks-are-opened-and-closed"]),
    ("call-start-lost", &["block-order", "scenario:tools/call-is-opened-and-closed"]),
    ("call-end-lost", &["block-order", "scenario:tools/call-is-opened-and-closed"]),
    ("index-too-high", &["block-index", "block-order"]),
    ("unknown-kind", &["stream-kinds", "block-order"]),
    ("no-tool-start", &["tool-lifecycle", "run-envelope"]),
    ("tool-ends-before-start", &["tool-lifecycle", "run-envelope"]),
    ("no-result-message", &["tool-lifecycle", "tool-in-turn", "turn-end-results", "results-in-order", "every-call-answered", "run-messages"]),
    ("result-after-turn", &["tool-in-turn", "message-in-turn", "turn-end-results", "results-in-order", "every-call-answered"]),
    ("other-args", &["start-repeats-call", "tool-update-repeats-start"]),
    ("other-tool-starts", &["start-repeats-call", "tool-update-repeats-start", "tool-end-name", "result-tool-name"]),
    ("tool-use-is-stop", &["scenario:stop/tool-use"]),
    ("abort-exits", CRASH),
    ("exits-after-run", &["stays-alive", "prompt-answered", "bare-answered", "answered", "answered-before-exit"]),
    ("provider-error-exits", &["stays-alive", "run-envelope"]),
    ("provider-error-leaves-busy", &["scenario:stop/next-run-after-a-failure", "run-envelope"]),
    ("tool-results-are-texts", &["schema/turn_end", "turn-end-results", "results-in-order"]),
    ("update-without-event", &["schema/message_update", "block-order"]),
    ("update-event-is-text", &["schema/message_update", "block-order"]),
    ("tool-start-args-are-text", &["schema/tool_execution_start", "start-repeats-call", "tool-update-repeats-start"]),
    ("bash-elsewhere", &["scenario:bash/output-and-exit-code"]),
    ("bash-keeps-children", &["scenario:bash/abort-ends-its-children"]),
    ("history-kept", &["scenario:compact/summary-goes-to-the-model"]),
    ("bad-line-exits", &["stays-alive", "answered", "answered-before-exit", "malformed-answered"]),
    ("text-without-text", CONTENT),
    ("thinking-without-thinking", CONTENT),
    ("answer-content-is-text", CONTENT),
    ("call-without-id", CONTENT),
    ("call-arguments-are-text", CONTENT),
    ("unknown-block", CONTENT),
    ("result-content-is-text", CONTENT),
    ("result-without-call", CONTENT),
    ("no-text-start", &["block-order", "scenario:run/blocks-are-opened-and-closed"]),
    ("no-text-end", &["block-order", "scenario:run/blocks-are-opened-and-closed"]),
    ("text-start-without-index", &["schema/message_update.text_start", "block-order"]),
];
