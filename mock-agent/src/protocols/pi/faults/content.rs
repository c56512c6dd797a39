//! Messages and their content that are wrong wherever they appear.

use super::common::{CASCADE, CONTENT, IN_ANSWERS, SINCE_0_73, UNTIL_0_73, USAGE_SHAPE, V0_87};
use crate::faults::{Fault, Op, frame, joined};

/// In every object with this member, a member is missing.
const fn missing(
    id: &'static str,
    summary: &'static str,
    of: (&'static str, &'static str),
    member: &'static str,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, "", Op::RemoveIn(of, member))
        .every()
        .caught_by(rules)
}

/// In every object with this member, a member has a wrong value.
const fn wrong(
    id: &'static str,
    summary: &'static str,
    of: (&'static str, &'static str),
    member: &'static str,
    value: &'static str,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, "", Op::SetIn(of, member, value))
        .every()
        .caught_by(rules)
}

const USER: (&str, &str) = ("role", "user");
const ASSISTANT: (&str, &str) = ("role", "assistant");
const RESULT: (&str, &str) = ("role", "toolResult");
const TEXT: (&str, &str) = ("type", "text");
const THINKING: (&str, &str) = ("type", "thinking");
const IMAGE: (&str, &str) = ("type", "image");
const CALL: (&str, &str) = ("type", "toolCall");

/// The rules on complete messages.
const IN_MESSAGES: &[&str] = &[
    "schema/message_start",
    "schema/message_end",
    "schema/agent_end",
    "own-prompt",
];

/// The rules on tool results.
const IN_RESULTS: &[&str] = &[
    "schema/message_start",
    "schema/message_end",
    "schema/turn_end",
    "schema/agent_end",
    "schema/tool_execution_end",
];

/// The rules on answers, and the rule on the stream's stop reason.
const STOPS: &[&str] = &joined::<{ IN_ANSWERS.len() + 1 }>(&[IN_ANSWERS, &["stream-end-reason"]]);

/// The rules on tool results, and those that compare them with the tool's output.
const RESULT_CASCADE: &[&str] = &joined::<{ IN_RESULTS.len() + 2 }>(&[
    IN_RESULTS,
    &["tool-lifecycle", "result-repeats-content"],
]);

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    missing("user-without-timestamp", "user messages have no timestamp", USER, "/timestamp", IN_MESSAGES),
    missing("user-without-content", "user messages have no content", USER, "/content", IN_MESSAGES),
    missing("user-without-role", "user messages have no role", USER, "/role", IN_MESSAGES),
    wrong("user-content-is-an-object", "the content of user messages is an object", USER, "/content", "{\"text\":\"hi\"}", IN_MESSAGES),
    wrong("user-content-is-texts", "the content of user messages is a list of texts", USER, "/content", "[\"hi\"]", IN_MESSAGES),
    wrong("user-attachments-are-a-name", "the attachments of user messages are a name", USER, "/attachments", "\"dot.png\"", IN_MESSAGES).only_in(UNTIL_0_73),
    wrong("user-timestamp-is-text", "the timestamp of user messages is a date in words", USER, "/timestamp", "\"2025-12-01T00:00:00Z\"", IN_MESSAGES),
    missing("answer-without-api", "assistant messages have no api", ASSISTANT, "/api", IN_ANSWERS),
    missing("answer-without-provider", "assistant messages have no provider", ASSISTANT, "/provider", IN_ANSWERS),
    missing("answer-without-model", "assistant messages have no model", ASSISTANT, "/model", IN_ANSWERS),
    missing("answer-without-usage", "assistant messages have no usage", ASSISTANT, "/usage", IN_ANSWERS),
    missing("answer-without-stop-reason", "assistant messages do not say why they stopped", ASSISTANT, "/stopReason", IN_ANSWERS),
    wrong("unknown-stop-reason", "assistant messages stop for a reason that the page does not have", ASSISTANT, "/stopReason", "\"end_turn\"", STOPS),
    wrong("answer-content-is-text", "the content of assistant messages is a text", ASSISTANT, "/content", "\"hi\"", CASCADE).caught_in(SINCE_0_73, CONTENT),
    wrong("answer-error-is-an-object", "the errorMessage of assistant messages is an object", ASSISTANT, "/errorMessage", "{}", IN_ANSWERS),
    wrong("answer-in-seconds", "the timestamp of assistant messages is in seconds", ASSISTANT, "/timestamp", "1764547200", IN_ANSWERS),
    wrong("usage-is-negative", "usage counts below zero", ASSISTANT, "/usage/input", "-1", IN_ANSWERS).caught_in(V0_87, USAGE_SHAPE),
    missing("usage-without-cache", "usage does not count what was read from the cache", ASSISTANT, "/usage/cacheRead", IN_ANSWERS),
    wrong("usage-is-text", "usage counts in texts", ASSISTANT, "/usage/output", "\"10\"", IN_ANSWERS).caught_in(V0_87, USAGE_SHAPE),
    missing("usage-without-cost", "usage has no cost", ASSISTANT, "/usage/cost", IN_ANSWERS),
    missing("cost-without-total", "the cost has no total", ASSISTANT, "/usage/cost/total", IN_ANSWERS),
    wrong("cost-is-text", "the cost is a text", ASSISTANT, "/usage/cost/total", "\"$0.01\"", IN_ANSWERS),
    missing("result-without-call", "tool results do not say which call they are of", RESULT, "/toolCallId", RESULT_CASCADE).caught_in(SINCE_0_73, CONTENT),
    missing("result-without-tool", "tool results do not name the tool", RESULT, "/toolName", IN_RESULTS),
    missing("result-without-is-error", "tool results do not say whether the tool failed", RESULT, "/isError", IN_RESULTS),
    wrong("result-content-is-text", "the content of tool results is a text", RESULT, "/content", "\"ok\"", RESULT_CASCADE).caught_in(SINCE_0_73, CONTENT),
    missing("text-without-text", "blocks of text have no text", TEXT, "/text", CASCADE).caught_in(SINCE_0_73, CONTENT),
    missing("thinking-without-thinking", "blocks of reasoning have no reasoning", THINKING, "/thinking", CASCADE).caught_in(SINCE_0_73, CONTENT),
    wrong("thinking-signature-is-an-object", "the signature of a block of reasoning is an object", THINKING, "/thinkingSignature", "{}", IN_ANSWERS),
    missing("image-without-data", "images have no data", IMAGE, "/data", IN_MESSAGES),
    wrong("image-is-a-url", "the data of images is a URL", IMAGE, "/data", "\"data:image/png;base64,AAAA\"", IN_MESSAGES),
    missing("call-without-id", "tool calls have no id", CALL, "/id", CASCADE).caught_in(SINCE_0_73, CONTENT),
    wrong("call-arguments-are-text", "the arguments of tool calls are a text", CALL, "/arguments", "\"{}\"", CASCADE).caught_in(SINCE_0_73, CONTENT),
    wrong("unknown-block", "a block of text is of a type that the page does not have", TEXT, "/type", "\"markdown\"", IN_ANSWERS).caught_in(SINCE_0_73, CONTENT),
];
