//! Events whose own members are missing or have wrong values.

use super::common::{
    ASSISTANT, CALL_DELTA, CALL_END, CALL_START, SINCE_0_73, TEXT_DELTA, TEXT_END, TEXT_START,
    UNTIL_0_73, USER, V0_14, When,
};
use crate::faults::{Fault, Op, frame};

/// A member is missing.
const fn missing(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    member: &'static str,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, on, Op::Remove(member)).caught_by(rules)
}

/// A member has a wrong value.
const fn wrong(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    member: &'static str,
    value: &'static str,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, on, Op::Set(member, value)).caught_by(rules)
}

/// An update of this kind lacks a member.
const fn update(
    id: &'static str,
    summary: &'static str,
    kind: When,
    member: &'static str,
    rules: &'static [&'static str],
) -> Fault {
    missing(id, summary, "message_update", member, rules).when(kind)
}

const KIND: &str = "/assistantMessageEvent/type";
const PARTIAL: &str = "/assistantMessageEvent/partial";
const INDEX: &str = "/assistantMessageEvent/contentIndex";

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    missing("agent-end-without-messages", "`agent_end` has no messages", "agent_end", "/messages", &["schema/agent_end"]),
    wrong("agent-end-messages-is-an-object", "the messages of `agent_end` are an object", "agent_end", "/messages", "{}", &["schema/agent_end", "run-messages"]),
    missing("turn-end-without-message", "`turn_end` has no message", "turn_end", "/message", &["schema/turn_end"]),
    wrong("turn-end-of-the-user", "the message of `turn_end` is the user's", "turn_end", "/message/role", "\"user\"", &["schema/turn_end", "turn-end-message"]),
    missing("turn-end-without-tool-results", "`turn_end` has no toolResults", "turn_end", "/toolResults", &["schema/turn_end"]),
    wrong("tool-results-are-texts", "the toolResults of `turn_end` are texts", "turn_end", "/toolResults", "[\"ok\"]", &["schema/turn_end", "turn-end-results"]).when(&[("/message/stopReason", "toolUse")]).caught_in(SINCE_0_73, &["schema/turn_end", "turn-end-results", "results-in-order"]),
    missing("message-start-without-message", "`message_start` has no message", "message_start", "/message", &["schema/message_start"]).when(ASSISTANT),
    missing("message-end-without-message", "`message_end` has no message", "message_end", "/message", &["schema/message_end", "run-messages"]).when(USER),
    // In 0.87, an update has no message.
    missing("update-without-message", "`message_update` has no message", "message_update", "/message", &["schema/message_update"]).only_in(UNTIL_0_73),
    missing("update-without-event", "`message_update` has no assistantMessageEvent", "message_update", "/assistantMessageEvent", &["schema/message_update"]).when(TEXT_START).caught_in(SINCE_0_73, &["schema/message_update", "block-order"]),
    wrong("update-event-is-text", "the assistantMessageEvent of `message_update` is a text", "message_update", "/assistantMessageEvent", "\"text\"", &["schema/message_update"]).when(TEXT_START).caught_in(SINCE_0_73, &["schema/message_update", "block-order"]),
    update("start-without-partial", "`start` has no partial message", &[(KIND, "start")], PARTIAL, &["schema/message_update.start"]).only_in(V0_14),
    update("text-start-without-partial", "`text_start` has no partial message", TEXT_START, PARTIAL, &["schema/message_update.text_start"]).only_in(UNTIL_0_73),
    update("text-start-without-index", "`text_start` has no contentIndex", TEXT_START, INDEX, &["schema/message_update.text_start"]).caught_in(SINCE_0_73, &["schema/message_update.text_start", "block-order"]),
    update("text-delta-without-partial", "`text_delta` has no partial message", TEXT_DELTA, PARTIAL, &["schema/message_update.text_delta"]).only_in(UNTIL_0_73),
    wrong("text-delta-is-a-number", "the delta of `text_delta` is a number", "message_update", "/assistantMessageEvent/delta", "7", &["schema/message_update.text_delta", "block-content"]).when(TEXT_DELTA),
    update("text-end-without-content", "`text_end` has no content", TEXT_END, "/assistantMessageEvent/content", &["schema/message_update.text_end"]),
    update("text-end-without-partial", "`text_end` has no partial message", TEXT_END, PARTIAL, &["schema/message_update.text_end"]).only_in(UNTIL_0_73),
    update("thinking-start-without-partial", "`thinking_start` has no partial message", &[(KIND, "thinking_start")], PARTIAL, &["schema/message_update.thinking_start"]).only_in(UNTIL_0_73),
    update("thinking-delta-without-partial", "`thinking_delta` has no partial message", &[(KIND, "thinking_delta")], PARTIAL, &["schema/message_update.thinking_delta"]).only_in(UNTIL_0_73),
    update("thinking-delta-without-delta", "`thinking_delta` has no delta", &[(KIND, "thinking_delta")], "/assistantMessageEvent/delta", &["schema/message_update.thinking_delta", "block-content"]),
    update("thinking-end-without-content", "`thinking_end` has no content", &[(KIND, "thinking_end")], "/assistantMessageEvent/content", &["schema/message_update.thinking_end"]),
    update("call-start-without-partial", "`toolcall_start` has no partial message", CALL_START, PARTIAL, &["schema/message_update.toolcall_start"]).only_in(UNTIL_0_73),
    update("call-delta-without-partial", "`toolcall_delta` has no partial message", CALL_DELTA, PARTIAL, &["schema/message_update.toolcall_delta"]).only_in(UNTIL_0_73),
    update("call-end-without-partial", "`toolcall_end` has no partial message", CALL_END, PARTIAL, &["schema/message_update.toolcall_end"]).only_in(UNTIL_0_73),
    update("call-end-without-call", "`toolcall_end` has no toolCall", CALL_END, "/assistantMessageEvent/toolCall", &["schema/message_update.toolcall_end"]),
    update("done-without-message", "`done` has no message", &[(KIND, "done")], "/assistantMessageEvent/message", &["schema/message_update.done"]).only_in(V0_14),
    update("error-kind-without-error", "the kind `error` has no message", &[(KIND, "error")], "/assistantMessageEvent/error", &["schema/message_update.error"]).only_in(V0_14),
    missing("tool-start-without-args", "`tool_execution_start` has no args", "tool_execution_start", "/args", &["schema/tool_execution_start"]),
    wrong("tool-start-args-are-text", "the args of `tool_execution_start` are a text", "tool_execution_start", "/args", "\"{}\"", &["schema/tool_execution_start", "start-repeats-call"]).caught_in(SINCE_0_73, &["schema/tool_execution_start", "start-repeats-call", "tool-update-repeats-start"]),
    missing("tool-start-without-name", "`tool_execution_start` has no toolName", "tool_execution_start", "/toolName", &["schema/tool_execution_start"]),
    missing("tool-end-without-result", "`tool_execution_end` has no result", "tool_execution_end", "/result", &["schema/tool_execution_end"]),
    missing("tool-end-without-is-error", "`tool_execution_end` does not say whether the tool failed", "tool_execution_end", "/isError", &["schema/tool_execution_end"]),
    missing("tool-end-without-name", "`tool_execution_end` has no toolName", "tool_execution_end", "/toolName", &["schema/tool_execution_end"]),
    wrong("tool-result-is-text", "the result of a tool that did its work is a text", "tool_execution_end", "/result", "\"ok\"", &["schema/tool_execution_end"]).when(&[("/isError", "false")]),
    wrong("tool-result-without-content", "the result of a tool has no content", "tool_execution_end", "/result", "{}", &["schema/tool_execution_end"]).when(&[("/isError", "false")]),
    wrong("tool-result-content-is-text", "the content of a tool's result is a text", "tool_execution_end", "/result/content", "\"ok\"", &["schema/tool_execution_end", "result-repeats-content"]).when(&[("/isError", "false")]),
    missing("bash-end-without-message", "`bash_end` has no message", "bash_end", "/message", &["schema/bash_end", "bash-answered"]).at_start().only_in(V0_14),
    missing("bash-end-without-output", "`bash_end` has no output", "bash_end", "/message/output", &["schema/bash_end"]).at_start().only_in(V0_14),
    missing("bash-end-without-exit-code", "`bash_end` has no exitCode", "bash_end", "/message/exitCode", &["schema/bash_end"]).at_start().only_in(V0_14),
    missing("bash-end-without-cancelled", "`bash_end` does not say whether the command was cancelled", "bash_end", "/message/cancelled", &["schema/bash_end"]).at_start().only_in(V0_14),
    missing("bash-end-without-truncated", "`bash_end` does not say whether the output was cut", "bash_end", "/message/truncated", &["schema/bash_end"]).at_start().only_in(V0_14),
    wrong("exit-code-is-text", "the exit code of a shell command is a text", "bash_end", "/message/exitCode", "\"0\"", &["schema/bash_end"]).at_start().when(&[("/message/exitCode", "0")]).only_in(V0_14),
    wrong("bash-end-in-seconds", "the timestamp of `bash_end` is in seconds", "bash_end", "/message/timestamp", "1764547200", &["schema/bash_end"]).at_start().only_in(V0_14),
    wrong("bash-role-is-bash", "the role in `bash_end` is bash", "bash_end", "/message/role", "\"bash\"", &["schema/bash_end"]).at_start().only_in(V0_14),
    missing("compaction-without-summary", "`compaction` has no summary", "compaction", "/summary", &["schema/compaction"]).only_in(V0_14),
    missing("compaction-without-tokens", "`compaction` does not count the tokens before it", "compaction", "/tokensBefore", &["schema/compaction"]).only_in(V0_14),
    wrong("compaction-tokens-are-text", "the tokens before a compaction are a text", "compaction", "/tokensBefore", "\"100\"", &["schema/compaction", "tokens-before"]).only_in(V0_14),
    wrong("compaction-tokens-are-negative", "the tokens before a compaction are less than none", "compaction", "/tokensBefore", "-1", &["schema/compaction", "tokens-before"]).only_in(V0_14),
    missing("error-without-text", "an `error` has no text", "error", "/error", &["schema/error"]).at_start().only_in(V0_14),
    wrong("error-is-an-object", "the error of an `error` is an object", "error", "/error", "{\"message\":\"?\"}", &["schema/error"]).at_start().only_in(V0_14),
];
