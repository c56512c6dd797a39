//! Shell commands of the host.

use super::common::{SINCE_0_73, V0_14, V0_87, When, response};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use serde_json::Value;

/// A fault in every `bash_end` that meets a condition.
const fn end(
    id: &'static str,
    summary: &'static str,
    when: When,
    op: Op,
    caught_by: &'static [&'static str],
) -> Fault {
    frame(id, summary, "bash_end", op)
        .at_start()
        .when(when)
        .every()
        .caught_by(caught_by)
        .only_in(V0_14)
}

const CUT: When = &[("/message/truncated", "true")];
const WHOLE: When = &[("/message/truncated", "false")];
const CANCELLED: When = &[("/message/cancelled", "true")];
const KILLED: When = &[
    ("/message/exitCode", "null"),
    ("/message/cancelled", "false"),
];

#[rustfmt::skip]
pub(super) const FAULTS: &[Fault] = &[
    end("no-bash-end", "a shell command is not answered", &[], Op::Drop, &["bash-answered", "scenario:bash/output-and-exit-code"]),
    end("two-bash-ends", "a shell command is answered twice", &[], Op::Twice, &["bash-own-command"]),
    end("bash-end-of-another", "`bash_end` names another command", &[], Op::Set("/message/command", "\"other\""), &["bash-own-command", "bash-answered"]),
    end("output-lost", "the output of a shell command is empty", &[], Op::Set("/message/output", "\"\""), &["scenario:bash/output-and-exit-code"]),
    end("exit-code-lost", "every shell command has the exit code 0", &[("/message/exitCode", "7")], Op::Set("/message/exitCode", "0"), &["scenario:bash/failing-command"]),
    end("killed-has-code", "a shell command that was killed has an exit code", KILLED, Op::Set("/message/exitCode", "137"), &["scenario:bash/killed-command"]),
    end("cancelled-has-code", "a shell command that was cancelled has an exit code", CANCELLED, Op::Set("/message/exitCode", "130"), &["bash-cancelled-code"]),
    end("cancelled-unsaid", "a shell command that was cancelled does not say so", CANCELLED, Op::Set("/message/cancelled", "false"), &["scenario:bash/cancelled-command"]),
    end("always-cancelled", "a shell command says that it was cancelled, and nobody did", &[("/message/exitCode", "0")], Op::Change(|frame| {
        frame["message"]["cancelled"] = true.into();
        frame["message"]["exitCode"] = Value::Null;
    }), &["bash-cancelled"]),
    end("truncation-unsaid", "a shell command whose output was cut does not say so", CUT, Op::Change(|frame| {
        frame["message"]["truncated"] = false.into();
        if let Some(message) = frame["message"].as_object_mut() {
            message.shift_remove("fullOutputPath");
        }
    }), &["scenario:bash/large-output"]),
    end("whole-output-nowhere", "`fullOutputPath` is left out though the output was cut", CUT, Op::Remove("/message/fullOutputPath"), &["bash-full-output"]),
    end("whole-output-lost", "`fullOutputPath` names a file that is not there", CUT, Op::Set("/message/fullOutputPath", "\"/nowhere/output.log\""), &["scenario:bash/whole-output-is-kept"]),
    end("whole-output-is-cut", "`fullOutputPath` names a file without the whole output", CUT, Op::Change(|frame| {
        if let Some(path) = frame["message"]["fullOutputPath"].as_str() {
            let cut = format!("{path}.cut");
            let _ = std::fs::write(&cut, "1\n2\n3\n");
            frame["message"]["fullOutputPath"] = cut.into();
        }
    }), &["scenario:bash/whole-output-is-kept"]),
    end("never-truncated", "large output comes whole", CUT, Op::Change(whole), &["scenario:bash/whole-output-is-kept"]),
    end("path-without-truncation", "`fullOutputPath` is there though nothing was cut", WHOLE, Op::Set("/message/fullOutputPath", "\"/tmp/x.log\""), &["bash-full-output-only"]),
    start("bash-untold", "the model is not told of shell commands", FaultEffect::Bug(Bug::ShellResultNotSent))
        .caught_by(&["scenario:bash/output-is-in-the-context"]),
    start("bash-told-otherwise", "the model is told of shell commands in another form", FaultEffect::Bug(Bug::ShellResultReformatted))
        .caught_by(&["scenario:bash/output-is-in-the-context"]),
    start("bash-elsewhere", "shell commands run in another directory", FaultEffect::Bug(Bug::ShellRunsElsewhere))
        .caught_by(&["scenario:bash/works-in-the-workspace"]).caught_in(SINCE_0_73, &["scenario:bash/output-and-exit-code"]),
    // In 0.73 and later, `bash` is answered by a response.
    start("bash-ignores-abort", "an abort does not end a shell command", FaultEffect::Bug(Bug::ShellIgnoresStop))
        .caught_by(&["scenario:bash/cancelled-command", "bash-answered"]).only_in(V0_14),
    start("bash-keeps-children", "an abort ends a shell command, but not what it has started", FaultEffect::Bug(Bug::ShellKeepsChildren))
        .caught_by(&["scenario:bash/cancelled-with-its-children"]).caught_in(SINCE_0_73, &["scenario:bash/abort-ends-its-children"]),
];

/// Replaces the truncated output by the full one.
fn whole(frame: &mut Value) {
    let path = frame["message"]["fullOutputPath"].as_str();
    let Some(text) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        return;
    };
    frame["message"]["output"] = text.into();
    frame["message"]["truncated"] = false.into();
    if let Some(message) = frame["message"].as_object_mut() {
        message.shift_remove("fullOutputPath");
    }
}

const BASH: When = &[("/command", "bash")];

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    response("bash-without-output", "bash tells no output", BASH, Op::Remove("/data/output"), &["schema/response.bash"]),
    response("bash-exit-code-is-text", "the exit code is a text", BASH, Op::Set("/data/exitCode", "\"0\""), &["schema/response.bash"]),
    response("bash-cancelled-by-nobody", "a command that nobody aborted is cancelled", &[("/command", "bash"), ("/data/cancelled", "false"), ("/id", "b")], Op::Set("/data/cancelled", "true"), &["bash-cancelled"]),
    response("bash-never-cancelled", "a command that was aborted is not cancelled", &[("/command", "bash"), ("/data/cancelled", "true")], Op::Set("/data/cancelled", "false"), &["scenario:bash/abort-bash", "scenario:bash/abort-after-another-command"]),
    bug("second-abort-of-bash-ignored", "abort_bash ends a command only once", Bug::StopsOnce).at_start().caught_by(&["scenario:bash/aborted-twice"]),
    response("bash-without-the-whole", "truncated output has no file", &[("/command", "bash"), ("/data/truncated", "true")], Op::Remove("/data/fullOutputPath"), &["schema/response.bash"]),
    response("bash-has-an-event", "a bash command has events", BASH, Op::Before(r#"{"type":"message_start","message":{"role":"bashExecution","command":"x","output":"","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1764547200000}}"#), &["bash-no-event", "message-envelope"]).caught_in(V0_87, &["message-envelope"]),
    response("bash-response-lost", "a bash command is not answered", &[("/command", "bash"), ("/id", "a")], Op::Drop, &["answered", "scenario:bash/abort-bash", "scenario:bash/abort-after-another-command", "scenario:bash/abort-ends-its-children"]).later(),
    response("compact-says-another-thing", "the response to compact has another summary", &[("/command", "compact"), ("/success", "true")], Op::Set("/data/summary", "\"something else\""), &["compaction-response", "scenario:compact/manual"]),
    response("compact-without-summary", "the response to compact has no summary", &[("/command", "compact"), ("/success", "true")], Op::Remove("/data/summary"), &["schema/response.compact", "compaction-response", "scenario:compact/manual"]),
    response("bash-output-is-trimmed", "the output of bash loses its last line break", BASH, Op::Change(|frame| {
        if let Some(output) = frame["data"]["output"].as_str() {
            frame["data"]["output"] = output.trim_end().into();
        }
    }), &["scenario:bash/output-is-exact"]).every().later().caught_in(V0_87, &["scenario:bash/output-is-exact", "bash-output-told"]),
    response("output-lost", "the output of a shell command is empty", &[("/command", "bash"), ("/data/exitCode", "0")], Op::Set("/data/output", "\"\""), &["scenario:bash/output-and-exit-code"]).caught_in(V0_87, &["scenario:bash/output-and-exit-code", "bash-output-told"]),
    response("exit-code-lost", "every shell command has the exit code 0", &[("/command", "bash"), ("/data/exitCode", "3")], Op::Set("/data/exitCode", "0"), &["scenario:bash/output-and-exit-code"]),
];
