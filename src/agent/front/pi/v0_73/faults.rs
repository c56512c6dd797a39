//! Faults: what a broken agent of this version may write.

use crate::agent::faults::{ABSENT, Fault, Op, frame};

/// A response to this command is spoilt.
const fn response(
    id: &'static str,
    summary: &'static str,
    when: &'static [(&'static str, &'static str)],
    op: Op,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, "response", op)
        .when(when)
        .at_start()
        .caught_by(rules)
}

/// An event is spoilt.
const fn event(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    op: Op,
    rules: &'static [&'static str],
) -> Fault {
    frame(id, summary, on, op).caught_by(rules)
}

const STATE: &[(&str, &str)] = &[("/command", "get_state"), ("/success", "true")];
const STATS: &[(&str, &str)] = &[("/command", "get_session_stats")];
const BASH: &[(&str, &str)] = &[("/command", "bash")];
const COMPACTED: &[(&str, &str)] = &[("/reason", "manual"), ("/aborted", "false")];

/// Faults of 0.14 that are none here.
pub(super) const WITHOUT: &[&str] = &[];

/// What catches faults of 0.14 here, where it is not what catches them there.
pub(super) const CAUGHT_HERE: &[(&str, &[&str])] = &[];

#[rustfmt::skip]
pub(super) const RESPONSES: &[Fault] = &[
    response("response-lost", "a response is lost", STATE, Op::Drop, &["answered", "answered-before-exit"]).later(),
    response("response-twice", "a response comes twice", STATE, Op::Twice, &["answered"]),
    response("foreign-response-id", "a response has an id that no command had", STATE, Op::Set("/id", "\"stranger\""), &["answered", "answered-before-exit", "bare-answered"]).later(),
    response("response-without-id", "a response leaves the id out", &[("/command", "get_state"), ("/id", "s")], Op::Remove("/id"), &["id-echoed", "answered", "answered-before-exit"]),
    response("id-for-the-nameless", "a command without an id is answered with one", &[("/id", ABSENT), ("/command", "get_state")], Op::Set("/id", "\"made up\""), &["answered", "bare-answered", "state-of-modes"]),
    response("response-of-another-command", "a response names another command", STATE, Op::Set("/command", "\"abort\""), &["response-names-command"]),
    response("response-without-command", "a response names no command", &[("/command", "get_messages")], Op::Remove("/command"), &["schema/response"]),
    response("response-without-success", "a response does not say whether it worked", STATE, Op::Remove("/success"), &["schema/response"]),
    response("success-is-text", "success is a text", STATE, Op::Set("/success", "\"yes\""), &["schema/response"]),
    response("failure-without-error", "a failure does not say why", &[("/success", "false"), ("/command", "set_model")], Op::Remove("/error"), &["schema/response"]),
    response("error-is-an-object", "the error is an object", &[("/success", "false"), ("/command", "set_model")], Op::Set("/error", "{}"), &["schema/response"]),
    response("unknown-command-succeeds", "a command of no known type succeeds", &[("/command", "levitate")], Op::Set("/success", "true"), &["unknown-fails", "unknown-response"]),
    response("unknown-failure-without-error", "the failure of an unknown command does not say why", &[("/command", "levitate")], Op::Remove("/error"), &["unknown-response"]),
    response("bad-line-unanswered", "a line that is not JSON is not answered", &[("/command", "parse")], Op::Drop, &["malformed-answered"]).later(),
    response("parse-succeeds", "a line that is not JSON is said to be right", &[("/command", "parse")], Op::Set("/success", "true"), &["schema/response.parse"]),
    response("prompt-response-lost", "a prompt is not answered", &[("/command", "prompt"), ("/success", "true")], Op::Drop, &["prompt-response-first", "answered", "bare-answered"]).later(),
    response("prompt-response-late", "a prompt is answered when its run has begun", &[("/command", "prompt"), ("/success", "true")], Op::Late("agent_start"), &["prompt-response-first"]).later(),
    response("busy-prompt-taken", "a prompt during a run that does not say how is accepted", &[("/command", "prompt"), ("/id", "q"), ("/success", "false")], Op::Set("/success", "true"), &["busy-refused"]),
    response("prompt-answered-twice", "a prompt that failed late is answered again", &[("/command", "prompt"), ("/id", "p")], Op::Twice, &["answered"]),
    response("state-without-model", "the state has no model", STATE, Op::Remove("/data/model"), &["schema/response.get_state"]),
    response("state-without-level", "the state has no thinking level", STATE, Op::Remove("/data/thinkingLevel"), &["schema/response.get_state"]),
    response("state-level-is-a-number", "the thinking level is a number", STATE, Op::Set("/data/thinkingLevel", "3"), &["schema/response.get_state"]),
    response("state-unknown-level", "the thinking level is none of the page", STATE, Op::Set("/data/thinkingLevel", "\"extreme\""), &["schema/response.get_state"]),
    response("state-unknown-mode", "a queue mode is none of the page", STATE, Op::Set("/data/steeringMode", "\"some\""), &["schema/response.get_state"]),
    response("state-counts-in-text", "the message count is a text", STATE, Op::Set("/data/messageCount", "\"two\""), &["schema/response.get_state"]),
    response("state-without-session", "the state has no session id", STATE, Op::Remove("/data/sessionId"), &["schema/response.get_state"]),
    response("state-model-without-window", "the model does not say how much it holds", STATE, Op::Remove("/data/model/contextWindow"), &["schema/response.get_state"]),
    response("state-name-is-null", "a session without a name has the name null", STATE, Op::Set("/data/sessionName", "null"), &["schema/response.get_state"]),
    response("steering-mode-kept", "the steering mode that was set is not told", &[("/command", "get_state"), ("/data/steeringMode", "all")], Op::Set("/data/steeringMode", "\"one-at-a-time\""), &["state-of-modes", "scenario:queue/steers-all-at-once"]),
    response("follow-up-mode-kept", "the follow-up mode that was set is not told", &[("/command", "get_state"), ("/data/followUpMode", "all")], Op::Set("/data/followUpMode", "\"one-at-a-time\""), &["state-of-modes", "scenario:queue/follow-ups-all-at-once"]),
    response("switch-not-told", "automatic compaction is told to be on after it was switched off", &[("/command", "get_state"), ("/data/autoCompactionEnabled", "false")], Op::Set("/data/autoCompactionEnabled", "true"), &["state-of-modes", "scenario:compact/switched-off"]),
    response("name-not-told", "the session's name is not told", &[("/command", "get_state"), ("/data/sessionName", "my feature work")], Op::Remove("/data/sessionName"), &["state-of-session", "scenario:session/name"]),
    response("model-not-told", "the state tells another model than the response did", &[("/command", "get_state"), ("/data/model/id", "mock-o")], Op::Set("/data/model/id", "\"mock-a\""), &["state-of-model", "scenario:model/set"]),
    response("level-not-told", "the state tells another level than the response did", &[("/command", "get_state"), ("/data/thinkingLevel", "medium"), ("/id", "s")], Op::Set("/data/thinkingLevel", "\"high\""), &["state-of-model", "scenario:thinking/cycle"]),
    response("never-streaming", "the state never says that a run goes on", &[("/command", "get_state"), ("/data/isStreaming", "true")], Op::Set("/data/isStreaming", "false"), &["scenario:responses/during-a-run"]),
    response("messages-without-role", "a message of the session has no role", &[("/command", "get_messages"), ("/data/messages/0/role", "user")], Op::Remove("/data/messages/0/role"), &["schema/response.get_messages"]),
    response("messages-lost", "the session's messages are not told", &[("/command", "get_messages"), ("/id", "m")], Op::Set("/data/messages", "[]"), &["scenario:session/messages"]),
    response("models-lost", "not every model is listed", &[("/command", "get_available_models")], Op::Set("/data/models", "[]"), &["scenario:model/available"]),
    response("model-without-cost", "a model does not say what it costs", &[("/command", "set_model"), ("/success", "true")], Op::Remove("/data/cost"), &["schema/response.set_model"]),
    response("cycle-without-scope", "cycle_model does not say whether the choice was narrowed", &[("/command", "cycle_model"), ("/data/isScoped", "true")], Op::Remove("/data/isScoped"), &["schema/response.cycle_model"]),
    response("level-of-nothing", "cycle_thinking_level tells no level", &[("/command", "cycle_thinking_level"), ("/data/level", "medium")], Op::Remove("/data/level"), &["schema/response.cycle_thinking_level"]),
    response("stats-without-cost", "the statistics have no cost", STATS, Op::Remove("/data/cost"), &["schema/response.get_session_stats"]),
    response("stats-total-is-less", "the total of the tokens is less than its parts", &[("/command", "get_session_stats"), ("/data/tokens/total", "350")], Op::Set("/data/tokens/total", "1"), &["total-tokens", "scenario:session/stats"]),
    response("stats-count-wrong", "the statistics count the tool calls wrong", &[("/command", "get_session_stats"), ("/data/toolCalls", "1")], Op::Set("/data/toolCalls", "2"), &["scenario:session/stats"]),
    response("context-without-window", "contextUsage does not say how much there is room for", STATS, Op::Remove("/data/contextUsage/contextWindow"), &["schema/response.get_session_stats"]),
    response("export-without-path", "export_html does not say where", &[("/command", "export_html"), ("/success", "true")], Op::Remove("/data/path"), &["schema/response.export_html"]),
    response("new-session-says-nothing", "new_session does not say whether it was cancelled", &[("/command", "new_session")], Op::Remove("/data/cancelled"), &["schema/response.new_session"]),
    response("switch-says-nothing", "switch_session does not say whether it was cancelled", &[("/command", "switch_session")], Op::Remove("/data/cancelled"), &["schema/response.switch_session"]),
    response("clone-says-nothing", "clone does not say whether it was cancelled", &[("/command", "clone")], Op::Remove("/data/cancelled"), &["schema/response.clone"]),
    response("fork-without-text", "fork does not tell the message", &[("/command", "fork"), ("/success", "true")], Op::Remove("/data/text"), &["schema/response.fork"]),
    response("fork-message-without-entry", "a message to fork from has no entry", &[("/command", "get_fork_messages"), ("/data/messages/0/text", "tell of one bird")], Op::Remove("/data/messages/0/entryId"), &["schema/response.get_fork_messages"]),
    response("last-text-left-out", "the last text is left out where there is none", &[("/command", "get_last_assistant_text")], Op::Remove("/data/text"), &["schema/response.get_last_assistant_text"]),
    response("last-text-is-the-first", "the last text is another one", &[("/command", "get_last_assistant_text"), ("/id", "l")], Op::Set("/data/text", "\"the dunlin flew over the estuary\""), &["scenario:session/messages"]),
    response("command-without-source", "a command does not say what it is", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Remove("/data/commands/0/source"), &["schema/response.get_commands"]),
    response("command-of-no-known-source", "a command comes from somewhere else", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Set("/data/commands/0/source", "\"plugin\""), &["schema/response.get_commands"]),
    response("bash-without-output", "bash tells no output", BASH, Op::Remove("/data/output"), &["schema/response.bash"]),
    response("bash-exit-code-is-text", "the exit code is a text", BASH, Op::Set("/data/exitCode", "\"0\""), &["schema/response.bash"]),
    response("bash-cancelled-by-nobody", "a command that nobody aborted is cancelled", &[("/command", "bash"), ("/data/cancelled", "false"), ("/id", "b")], Op::Set("/data/cancelled", "true"), &["bash-cancelled"]),
    response("bash-never-cancelled", "a command that was aborted is not cancelled", &[("/command", "bash"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:bash/abort-bash", "scenario:bash/abort-after-another-command"]),
    response("bash-without-the-whole", "truncated output has no file", &[("/command", "bash"), ("/data/truncated", "true")], Op::Remove("/data/fullOutputPath"), &["schema/response.bash"]),
    response("bash-has-an-event", "a bash command has events", BASH, Op::Before(r#"{"type":"message_start","message":{"role":"bashExecution","command":"x","output":"","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1764547200000}}"#), &["bash-no-event", "message-envelope"]),
    response("bash-response-lost", "a bash command is not answered", &[("/command", "bash"), ("/id", "a")], Op::Drop, &["answered"]).later(),
    response("compact-says-another-thing", "the response to compact has another summary", &[("/command", "compact"), ("/success", "true")], Op::Set("/data/summary", "\"something else\""), &["compaction-response", "scenario:compact/manual"]),
    response("compact-without-summary", "the response to compact has no summary", &[("/command", "compact"), ("/success", "true")], Op::Remove("/data/summary"), &["schema/response.compact", "compaction-response", "scenario:compact/manual"]),
];

#[rustfmt::skip]
pub(super) const EVENTS: &[Fault] = &[
    event("event-with-id", "an event has an id", "agent_start", Op::Set("/id", "\"e1\""), &["event-without-id"]),
    event("unknown-event", "an event comes that the page does not have", "agent_start", Op::Before(r#"{"type":"weather","sky":"blue"}"#), &["unknown-event"]),
    event("run-without-prompt", "a run begins that nobody asked for", "agent_end", Op::After(r#"{"type":"agent_start"}"#), &["run-has-prompt", "run-envelope", "prompt-response-first", "busy-refused", "run-open-at-end"]).later(),
    event("run-starts-twice", "`agent_start` comes twice", "agent_start", Op::Twice, &["run-envelope", "run-has-prompt", "prompt-response-first"]),
    event("run-never-ends", "`agent_end` is lost", "agent_end", Op::Drop, &["run-envelope", "abort-ends-run"]).later(),
    event("run-ends-twice", "`agent_end` comes twice", "agent_end", Op::Twice, &["run-envelope", "run-messages"]),
    event("turn-never-ends", "`turn_end` is lost", "turn_end", Op::Drop, &["run-envelope", "turn-shape"]).later(),
    event("turn-ends-twice", "`turn_end` comes twice", "turn_end", Op::Twice, &["run-envelope"]),
    event("message-never-ends", "the `message_end` of the assistant is lost", "message_end", Op::Drop, &["message-envelope", "turn-shape", "run-messages", "call-before-start"]).when(&[("/message/role", "assistant")]).later(),
    event("messages-of-the-run-lost", "`agent_end` has no messages", "agent_end", Op::Set("/messages", "[]"), &["run-messages"]),
    event("results-of-the-turn-lost", "`turn_end` has no results", "turn_end", Op::Set("/toolResults", "[]"), &["turn-end-results", "results-in-order"]).when(&[("/message/stopReason", "toolUse")]),
    event("delta-lost", "a delta is lost", "message_update", Op::Drop, &["block-content"]).when(&[("/assistantMessageEvent/type", "text_delta")]).later(),
    event("block-never-starts", "a block's start is lost", "message_update", Op::Drop, &["block-order"]).when(&[("/assistantMessageEvent/type", "text_start")]).later(),
    event("block-never-ends", "a block's end is lost", "message_update", Op::Drop, &["block-order"]).when(&[("/assistantMessageEvent/type", "text_end")]).later(),
    event("another-model-at-the-end", "a message ends as another model's", "message_end", Op::Set("/message/model", "\"stranger\""), &["same-speaker", "turn-end-message", "run-messages"]).when(&[("/message/role", "assistant")]),
    event("tool-use-without-tools", "a message stops for tools and asks for none", "message_end", Op::Set("/message/stopReason", "\"toolUse\""), &["tool-use-reason", "turn-end-message", "run-messages"]).when(&[("/message/stopReason", "stop")]),
    event("tool-never-ends", "`tool_execution_end` is lost", "tool_execution_end", Op::Drop, &["tool-lifecycle", "result-repeats-end"]).later(),
    event("tool-ends-twice", "`tool_execution_end` comes twice", "tool_execution_end", Op::Twice, &["tool-lifecycle"]),
    event("tool-result-is-text", "the result of a tool is a text", "tool_execution_end", Op::Set("/result", "\"done\""), &["schema/tool_execution_end", "result-repeats-content"]),
    event("tool-works-after-its-end", "a tool tells of its progress when it is over", "tool_execution_update", Op::Late("tool_execution_end"), &["tool-lifecycle"]).later(),
    event("update-of-other-args", "the progress of a tool has other args", "tool_execution_update", Op::Set("/args", "{}"), &["tool-update-repeats-start"]),
    event("update-without-result", "the progress of a tool has no partial result", "tool_execution_update", Op::Remove("/partialResult"), &["schema/tool_execution_update"]),
    event("update-is-a-delta", "the progress of a tool is only what is new", "tool_execution_update", Op::Set("/partialResult/content/0/text", "\"two\\n\""), &["scenario:tools/progress-is-told"]).every(),
    event("queue-update-lost", "what is queued is not told", "queue_update", Op::Drop, &["queued-told", "queued-before-response"]).every().later(),
    event("queue-update-of-strangers", "the queue holds what nobody said", "queue_update", Op::Set("/steering", "[\"never said\"]"), &["queue-contents"]),
    event("queue-update-half", "`queue_update` has one queue only", "queue_update", Op::Remove("/followUp"), &["schema/queue_update"]),
    event("compaction-never-starts", "`compaction_start` is lost", "compaction_start", Op::Drop, &["compaction-envelope"]).later(),
    event("compaction-never-ends", "`compaction_end` is lost", "compaction_end", Op::Drop, &["compaction-envelope"]).later(),
    event("compaction-ends-for-another-reason", "a compaction ends for another reason", "compaction_end", Op::Set("/reason", "\"threshold\""), &["compaction-same-reason"]).when(COMPACTED),
    event("compaction-of-no-known-reason", "a compaction has a reason of its own", "compaction_start", Op::Set("/reason", "\"whim\""), &["schema/compaction_start", "compaction-same-reason"]),
    event("compaction-without-summary", "the result of a compaction has no summary", "compaction_end", Op::Remove("/result/summary"), &["schema/compaction_end", "compaction-response"]).when(COMPACTED),
    event("compaction-of-nothing", "the context before a compaction was empty", "compaction_end", Op::Set("/result/tokensBefore", "0"), &["tokens-before", "compaction-response", "scenario:compact/manual"]).when(COMPACTED),
    event("compaction-aborted-with-result", "an aborted compaction has a result", "compaction_end", Op::Set("/aborted", "true"), &["schema/compaction_end"]).when(COMPACTED),
    event("failed-compaction-without-result", "a failed compaction leaves the result out", "compaction_end", Op::Remove("/result"), &["schema/compaction_end"]).when(&[("/result", "null")]),
    event("overflow-will-not-retry", "a compaction for overflow does not say that the prompt is tried again", "compaction_end", Op::Set("/willRetry", "false"), &["compaction-retries", "prompt-response-first"]).when(&[("/reason", "overflow"), ("/willRetry", "true")]),
    event("manual-without-command", "an automatic compaction says that it was asked for", "compaction_start", Op::Set("/reason", "\"manual\""), &["compaction-asked", "compaction-same-reason"]).when(&[("/reason", "threshold")]),
    event("retry-never-starts", "`auto_retry_start` is lost", "auto_retry_start", Op::Drop, &["retry-envelope", "run-has-prompt", "prompt-response-first", "retry-first"]).later(),
    event("retry-never-ends", "`auto_retry_end` is lost", "auto_retry_end", Op::Drop, &["retry-ends", "retry-envelope"]).later(),
    event("retry-ends-twice", "`auto_retry_end` comes twice", "auto_retry_end", Op::Twice, &["retry-envelope"]),
    event("retry-counts-from-two", "the first attempt is the second", "auto_retry_start", Op::Set("/attempt", "2"), &["retry-first", "retry-attempts", "retry-envelope"]).when(&[("/attempt", "1")]),
    event("retry-beyond-the-last", "there are more attempts than at most", "auto_retry_start", Op::Set("/attempt", "9"), &["retry-attempts", "retry-first", "retry-envelope"]),
    event("retry-does-not-count", "every attempt is the first", "auto_retry_start", Op::Set("/attempt", "1"), &["retry-attempts"]).when(&[("/attempt", "2")]),
    event("retry-after-success", "a retry starts when nothing has failed", "agent_end", Op::After(r#"{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":10,"errorMessage":"none"}"#), &["retry-cause", "retry-envelope", "retry-ends", "retry-first", "retry-attempts"]).later(),
    event("retry-without-delay", "a retry does not say how long it waits", "auto_retry_start", Op::Remove("/delayMs"), &["schema/auto_retry_start"]),
    event("failure-without-final-error", "retries that failed do not say why", "auto_retry_end", Op::Remove("/finalError"), &["schema/auto_retry_end"]).when(&[("/success", "false")]),
    event("extension-error-without-path", "an extension's error does not say whose", "extension_error", Op::Remove("/extensionPath"), &["schema/extension_error"]).at_start(),
    event("dialog-asked-twice", "a dialog comes twice under one id", "extension_ui_request", Op::Twice, &["dialog-answered", "answered"]).at_start(),
    event("dialog-without-id", "a dialog has no id", "extension_ui_request", Op::Remove("/id"), &["schema/extension_ui_request"]).at_start().when(&[("/method", "notify")]),
    event("unknown-method", "an extension uses a method that the page does not have", "extension_ui_request", Op::Set("/method", "\"shout\""), &["unknown-method", "answered"]).at_start().when(&[("/method", "notify")]),
    event("select-without-options", "select has nothing to choose from", "extension_ui_request", Op::Remove("/options"), &["schema/extension_ui_request.select", "answered"]).at_start().when(&[("/method", "select")]),
    event("notice-of-no-known-kind", "a notice is of a kind of its own", "extension_ui_request", Op::Set("/notifyType", "\"fatal\""), &["schema/extension_ui_request.notify"]).at_start().when(&[("/method", "notify")]),
    event("line-with-crlf", "a line ends in CR LF", "agent_start", Op::Line(|line| { line.pop(); line.extend_from_slice(b"\r\n"); }), &["clean-lines"]),
    event("noise-on-stdout", "a line is not JSON", "agent_start", Op::RawBefore(b"Warning: low battery\n"), &["json-lines"]).later(),
    event("dies-in-the-run", "the process ends in the middle of a run", "turn_end", Op::Exit(0), &["stays-alive", "run-envelope", "turn-shape", "answered", "bare-answered", "abort-ends-run"]).later(),
];
