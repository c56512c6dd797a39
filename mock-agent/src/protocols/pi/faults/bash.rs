//! Shell commands of the host's own.

use crate::faults::{Bug, Effect, Fault, Op, frame, start};
use serde_json::Value;

/// What is wrong with every `bash_end` of a kind.
const fn end(
    id: &'static str,
    summary: &'static str,
    when: super::When,
    op: Op,
    caught_by: &'static [&'static str],
) -> Fault {
    frame(id, summary, "bash_end", op)
        .at_start()
        .when(when)
        .every()
        .caught_by(caught_by)
}

const CUT: super::When = &[("/message/truncated", "true")];
const WHOLE: super::When = &[("/message/truncated", "false")];
const CANCELLED: super::When = &[("/message/cancelled", "true")];
const KILLED: super::When = &[
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
    start("bash-untold", "the model is not told of shell commands", Effect::Bug(Bug::ShellStaysUntold))
        .caught_by(&["scenario:bash/output-is-in-the-context"]),
    start("bash-told-otherwise", "the model is told of shell commands in another form", Effect::Bug(Bug::ShellToldOtherwise))
        .caught_by(&["scenario:bash/output-is-in-the-context"]),
    start("bash-elsewhere", "shell commands run in another directory", Effect::Bug(Bug::ShellRunsElsewhere))
        .caught_by(&["scenario:bash/works-in-the-workspace"]),
    start("bash-ignores-abort", "an abort does not end a shell command", Effect::Bug(Bug::ShellIgnoresStop))
        .caught_by(&["scenario:bash/cancelled-command", "bash-answered"]),
    start("bash-keeps-children", "an abort ends a shell command, but not what it has started", Effect::Bug(Bug::ShellKeepsChildren))
        .caught_by(&["scenario:bash/cancelled-with-its-children"]),
];

/// Puts the whole output where its end was.
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
