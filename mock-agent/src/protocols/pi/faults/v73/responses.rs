//! Responses that do not come, come twice, or answer something else.

use super::super::in_output;
use super::response;
use crate::faults::{ABSENT, Fault, Op};

const BASH: super::When = &[("/command", "bash")];
const STATE: super::When = &[("/command", "get_state"), ("/success", "true")];

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
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
    response("nul-byte", "a text holds a raw NUL byte", BASH, Op::Line(|line| in_output(line, b"\0")), &["json-lines", "answered"]),
    response("invalid-utf8", "a text holds a byte that is not UTF-8", BASH, Op::Line(|line| in_output(line, b"\xff")), &["json-lines", "answered"]),
    response("cut-character", "a text ends in the middle of a character", BASH, Op::Line(|line| in_output(line, b"\xf0\x9f\xa6")), &["json-lines", "answered"]),
    response("lone-surrogate", "a text holds half of a surrogate pair", BASH, Op::Line(|line| in_output(line, b"\\ud83d")), &["whole-characters"]),
    response("shell-output-on-stdout", "what a shell command wrote comes on stdout too", BASH, Op::RawBefore(b"total 0\n"), &["json-lines"]),
    response("crash-in-shell-command", "the process ends with status 1 when a shell command does", &[("/command", "bash"), ("/id", "a")], Op::Exit(1), &["answered", "stays-alive"]),
];
