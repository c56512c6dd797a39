//! Responses: missing, repeated, with the wrong id, or with wrong data about the session, its model and its usage.

use super::common::{V0_73, V0_87, When, response};
use super::framing::in_output;
use crate::faults::{ABSENT, Fault, Op};

const BASH: When = &[("/command", "bash")];
const STATE: When = &[("/command", "get_state"), ("/success", "true")];

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
    response("prompt-response-lost", "a prompt is not answered", &[("/command", "prompt"), ("/success", "true")], Op::Drop, &["prompt-response-first", "answered", "bare-answered", "session-answered"]).later(),
    response("prompt-response-late", "a prompt is answered when its run has begun", &[("/command", "prompt"), ("/success", "true")], Op::Late("agent_start"), &["prompt-response-first"]).later(),
    response("busy-prompt-taken", "a prompt during a run that does not say how is accepted", &[("/command", "prompt"), ("/id", "q"), ("/success", "false")], Op::Set("/success", "true"), &["busy-refused"]),
    response("prompt-answered-twice", "a prompt that failed late is answered again", &[("/command", "prompt"), ("/id", "p")], Op::Twice, &["answered"]),
    response("late-failure-is-answered", "a prompt that was accepted is answered again when it has failed", &[("/command", "get_state"), ("/id", "s"), ("/data/isStreaming", "false")], Op::Before(r#"{"type":"response","id":"p","command":"prompt","success":false,"error":"scripted refusal"}"#), &["answered", "scenario:prompt/late-failure"]),
    response("nameless-bash-unanswered", "a shell command without an id is not answered", &[("/command", "bash"), ("/id", ABSENT)], Op::Drop, &["bash-answered"]).later(),
    response("nul-byte", "a text holds a raw NUL byte", BASH, Op::Line(|line| in_output(line, b"\0")), &["json-lines", "answered"]).caught_in(V0_87, &["json-lines", "bash-output-told", "bash-answered"]),
    response("invalid-utf8", "a text holds a byte that is not UTF-8", BASH, Op::Line(|line| in_output(line, b"\xff")), &["json-lines", "answered"]).caught_in(V0_87, &["json-lines", "bash-output-told"]),
    response("cut-character", "a text ends in the middle of a character", BASH, Op::Line(|line| in_output(line, b"\xf0\x9f\xa6")), &["json-lines", "answered"]).caught_in(V0_87, &["json-lines", "bash-output-told"]),
    response("lone-surrogate", "a text holds half of a surrogate pair", BASH, Op::Line(|line| in_output(line, b"\\ud83d")), &["whole-characters"]).caught_in(V0_87, &["whole-characters", "bash-output-told"]),
    response("shell-output-on-stdout", "what a shell command wrote comes on stdout too", BASH, Op::RawBefore(b"total 0\n"), &["json-lines"]),
    response("crash-in-shell-command", "the process ends with status 1 when a shell command does", &[("/command", "bash"), ("/id", "a")], Op::Exit(1), &["answered", "stays-alive"]),
];

const STATS: When = &[("/command", "get_session_stats")];

#[rustfmt::skip]
pub(super) const DATA: &[Fault] = &[
    response("messages-told-twice", "`get_messages` tells every message twice", &[("/command", "get_messages")], Op::Change(|frame| {
        if let Some(messages) = frame["data"]["messages"].as_array_mut() {
            messages.extend(messages.clone());
        }
    }), &["scenario:responses/messages-after-tools", "history-told-once"]).every().later(),
    response("busy-after-an-abort", "after an abort the state says that the agent is at work", &[("/command", "get_state"), ("/id", "s2")], Op::Set("/data/isStreaming", "true"), &["scenario:responses/state-after-an-abort"]).later(),
    response("failure-without-words", "a failed command has an empty `error`", &[("/success", "false")], Op::Set("/error", "\"\""), &["schema/response"]).every(),
    response("second-of-one-write-lost", "of two commands that come in one write only the first is taken", &[("/command", "get_messages"), ("/id", "b")], Op::Drop, &["scenario:framing/two-commands-in-one-write", "answered", "answered-before-exit"]).later(),
    response("state-without-model", "the state has no model", STATE, Op::Remove("/data/model"), &["schema/response.get_state"]).only_in(V0_73),
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
    response("level-not-told", "the state tells another level than the response did", &[("/command", "get_state"), ("/data/thinkingLevel", "medium"), ("/id", "s")], Op::Set("/data/thinkingLevel", "\"high\""), &["state-of-model", "scenario:thinking/cycle"]).caught_in(V0_87, &["state-of-model", "level-told", "scenario:thinking/cycle"]),
    response("never-streaming", "the state never says that a run goes on", &[("/command", "get_state"), ("/data/isStreaming", "true")], Op::Set("/data/isStreaming", "false"), &["scenario:responses/during-a-run"]),
    response("messages-without-role", "a message of the session has no role", &[("/command", "get_messages"), ("/data/messages/0/role", "user")], Op::Remove("/data/messages/0/role"), &["schema/response.get_messages"]).only_in(V0_73),
    response("messages-lost", "the session's messages are not told", &[("/command", "get_messages"), ("/id", "m")], Op::Set("/data/messages", "[]"), &["scenario:session/messages", "history-told"]),
    response("models-lost", "not every model is listed", &[("/command", "get_available_models")], Op::Set("/data/models", "[]"), &["scenario:model/available"]),
    response("model-without-cost", "a model does not say what it costs", &[("/command", "set_model"), ("/success", "true")], Op::Remove("/data/cost"), &["schema/response.set_model"]),
    response("cycle-without-scope", "cycle_model does not say whether the choice was narrowed", &[("/command", "cycle_model"), ("/data/isScoped", "true")], Op::Remove("/data/isScoped"), &["schema/response.cycle_model"]),
    response("level-of-nothing", "cycle_thinking_level tells no level", &[("/command", "cycle_thinking_level"), ("/data/level", "medium")], Op::Remove("/data/level"), &["schema/response.cycle_thinking_level"]),
    response("stats-without-cost", "the statistics have no cost", STATS, Op::Remove("/data/cost"), &["schema/response.get_session_stats"]),
    response("stats-total-is-less", "the total of the tokens is less than its parts", &[("/command", "get_session_stats"), ("/data/tokens/total", "350")], Op::Set("/data/tokens/total", "1"), &["total-tokens", "scenario:session/stats"]),
    response("stats-count-wrong", "the statistics count the tool calls wrong", &[("/command", "get_session_stats"), ("/data/toolCalls", "1")], Op::Set("/data/toolCalls", "2"), &["scenario:session/stats", "stats-count"]),
    response("context-without-window", "contextUsage does not say how much there is room for", STATS, Op::Remove("/data/contextUsage/contextWindow"), &["schema/response.get_session_stats"]),
    response("export-without-path", "export_html does not say where", &[("/command", "export_html"), ("/success", "true")], Op::Remove("/data/path"), &["schema/response.export_html"]),
    response("new-session-says-nothing", "new_session does not say whether it was cancelled", &[("/command", "new_session")], Op::Remove("/data/cancelled"), &["schema/response.new_session"]),
    response("switch-says-nothing", "switch_session does not say whether it was cancelled", &[("/command", "switch_session")], Op::Remove("/data/cancelled"), &["schema/response.switch_session"]),
    response("clone-says-nothing", "clone does not say whether it was cancelled", &[("/command", "clone")], Op::Remove("/data/cancelled"), &["schema/response.clone"]),
    response("fork-without-text", "fork does not tell the message", &[("/command", "fork"), ("/success", "true")], Op::Remove("/data/text"), &["schema/response.fork"]),
    response("fork-message-without-entry", "a message to fork from has no entry", &[("/command", "get_fork_messages"), ("/data/messages/0/text", "tell of one bird")], Op::Remove("/data/messages/0/entryId"), &["schema/response.get_fork_messages", "fork-messages-once"]),
    response("last-text-left-out", "the last text is left out where there is none", &[("/command", "get_last_assistant_text")], Op::Remove("/data/text"), &["schema/response.get_last_assistant_text"]),
    response("last-text-is-the-first", "the last text is another one", &[("/command", "get_last_assistant_text"), ("/id", "l")], Op::Set("/data/text", "\"the dunlin flew over the estuary\""), &["scenario:session/messages", "last-text-told"]),
    response("command-without-source", "a command does not say what it is", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Remove("/data/commands/0/source"), &["schema/response.get_commands"]),
    response("command-of-no-known-source", "a command comes from somewhere else", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Set("/data/commands/0/source", "\"plugin\""), &["schema/response.get_commands"]),
    response("pending-uncounted", "the state does not count what is queued", &[("/command", "get_state"), ("/data/pendingMessageCount", "2")], Op::Set("/data/pendingMessageCount", "0"), &["scenario:queue/follow-up-after-the-tools", "state-of-queue"]),
    response("messages-miscounted", "the state counts the messages wrong", &[("/command", "get_state"), ("/data/messageCount", "2")], Op::Set("/data/messageCount", "7"), &["scenario:session/new", "scenario:session/switch", "state-counts-messages"]).only_in(V0_73),
    response("model-of-the-flags-untold", "the state tells another model than the flags chose", &[("/command", "get_state"), ("/data/model/id", "mock-o")], Op::Set("/data/model/id", "\"mock-z\""), &["scenario:startup/model-of-the-flags", "state-of-model"]),
    response("listed-model-without-id", "a model of the list has no id", &[("/command", "get_available_models")], Op::Remove("/data/models/0/id"), &["schema/response.get_available_models"]),
    response("cycle-stays", "cycle_model goes on to no other model", &[("/command", "cycle_model"), ("/data/isScoped", "true")], Op::Set("/data/model/id", "\"mock-a\""), &["scenario:model/cycle", "state-of-model"]),
    response("cycle-of-one", "cycle_model tells a model where there is no other", &[("/command", "cycle_model"), ("/data", "null")], Op::Set("/data", r#"{"model":{"id":"mock-a","name":"mock-a","api":"anthropic-messages","provider":"mocka","baseUrl":"http://127.0.0.1:1","reasoning":true,"input":["text"],"contextWindow":200000,"maxTokens":8192,"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75}},"thinkingLevel":"medium","isScoped":true}"#), &["scenario:model/single"]),
    response("level-of-the-thoughtless", "cycle_thinking_level tells a level of a model that cannot think", &[("/command", "cycle_thinking_level"), ("/data", "null")], Op::Set("/data", r#"{"level":"low"}"#), &["scenario:thinking/unsupported"]),
    response("context-known-too-early", "contextUsage counts tokens right after a compaction", &[("/command", "get_session_stats"), ("/data/contextUsage/tokens", "null")], Op::Set("/data/contextUsage/tokens", "5"), &["scenario:session/stats-after-a-compaction", "context-unknown"]),
    response("new-session-cancel-unsaid", "a new session that was cancelled does not say so", &[("/command", "new_session"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:extensions/cancels-sessions"]),
    response("switch-cancel-unsaid", "a switch that was cancelled does not say so", &[("/command", "switch_session"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:extensions/cancels-sessions"]),
    response("fork-cancel-unsaid", "a fork that was cancelled does not say so", &[("/command", "fork"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:extensions/cancels-sessions"]).caught_in(V0_87, &["scenario:extensions/cancels-sessions", "schema/response.fork"]),
    response("clone-cancel-unsaid", "a clone that was cancelled does not say so", &[("/command", "clone"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:extensions/cancels-sessions"]),
    response("commands-lost", "no command is listed", &[("/command", "get_commands"), ("/data/commands/0/source", "extension")], Op::Set("/data/commands", "[]"), &["scenario:commands/listed"]),
    response("skill-without-prefix", "a skill is listed without its prefix", &[("/command", "get_commands"), ("/data/commands/2/source", "skill")], Op::Set("/data/commands/2/name", "\"birds\""), &["scenario:commands/listed", "skill-names"]),
    response("command-of-another-place", "a template from the command line is the user's", &[("/command", "get_commands"), ("/data/commands/1/location", "path")], Op::Set("/data/commands/1/location", "\"user\""), &["scenario:commands/listed"]).only_in(V0_73),
    response("command-of-no-known-place", "a command is in a place that the page does not have", &[("/command", "get_commands"), ("/data/commands/1/location", "path")], Op::Set("/data/commands/1/location", "\"cloud\""), &["schema/response.get_commands"]).only_in(V0_73),
    response("bash-message-without-output", "the message of a shell command has no output", &[("/command", "get_messages"), ("/data/messages/0/role", "bashExecution")], Op::Remove("/data/messages/0/output"), &["schema/response.get_messages"]),
];
