//! What responses tell of shell commands and compactions.

use super::response;
use crate::faults::{Bug, Fault, Op, bug};

const BASH: super::When = &[("/command", "bash")];

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    response("bash-without-output", "bash tells no output", BASH, Op::Remove("/data/output"), &["schema/response.bash"]),
    response("bash-exit-code-is-text", "the exit code is a text", BASH, Op::Set("/data/exitCode", "\"0\""), &["schema/response.bash"]),
    response("bash-cancelled-by-nobody", "a command that nobody aborted is cancelled", &[("/command", "bash"), ("/data/cancelled", "false"), ("/id", "b")], Op::Set("/data/cancelled", "true"), &["bash-cancelled"]),
    response("bash-never-cancelled", "a command that was aborted is not cancelled", &[("/command", "bash"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:bash/abort-bash", "scenario:bash/abort-after-another-command"]),
    bug("second-abort-of-bash-ignored", "abort_bash ends a command only once", Bug::StopsOnce).at_start().caught_by(&["scenario:bash/aborted-twice"]),
    response("bash-without-the-whole", "truncated output has no file", &[("/command", "bash"), ("/data/truncated", "true")], Op::Remove("/data/fullOutputPath"), &["schema/response.bash"]),
    response("bash-has-an-event", "a bash command has events", BASH, Op::Before(r#"{"type":"message_start","message":{"role":"bashExecution","command":"x","output":"","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1764547200000}}"#), &["bash-no-event", "message-envelope"]),
    response("bash-response-lost", "a bash command is not answered", &[("/command", "bash"), ("/id", "a")], Op::Drop, &["answered", "scenario:bash/abort-bash", "scenario:bash/abort-after-another-command", "scenario:bash/abort-ends-its-children"]).later(),
    response("compact-says-another-thing", "the response to compact has another summary", &[("/command", "compact"), ("/success", "true")], Op::Set("/data/summary", "\"something else\""), &["compaction-response", "scenario:compact/manual"]),
    response("compact-without-summary", "the response to compact has no summary", &[("/command", "compact"), ("/success", "true")], Op::Remove("/data/summary"), &["schema/response.compact", "compaction-response", "scenario:compact/manual"]),
    response("bash-output-is-trimmed", "the output of bash loses its last line break", BASH, Op::Change(|frame| {
        if let Some(output) = frame["data"]["output"].as_str() {
            frame["data"]["output"] = output.trim_end().into();
        }
    }), &["scenario:bash/output-is-exact"]).every().later(),
    response("output-lost", "the output of a shell command is empty", &[("/command", "bash"), ("/data/exitCode", "0")], Op::Set("/data/output", "\"\""), &["scenario:bash/output-and-exit-code"]),
    response("exit-code-lost", "every shell command has the exit code 0", &[("/command", "bash"), ("/data/exitCode", "3")], Op::Set("/data/exitCode", "0"), &["scenario:bash/output-and-exit-code"]),
];
