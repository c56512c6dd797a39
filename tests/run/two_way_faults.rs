//! Faults, variants, bad hosts, generic faults and agent scripts of a protocol in which both sides ask.

use crate::harness::{TestDir, finish};
use std::path::{Path, PathBuf};
use std::process::Output;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way")
}

/// Runs a command with the dialect duo and its scenarios; `{agent}` is its agent.
fn conform(dir: &TestDir, command: &str) -> (Output, String) {
    let mut words = command.split(' ');
    let mut conform = dir.command(words.next().unwrap());
    conform.args(["--dialect", "duo@1", "--dialect-dir"]);
    conform.arg(folder().join("dialects"));
    for word in words {
        match word {
            "{agent}" => conform.arg("python3").arg(folder().join("agent.py")),
            "{scenarios}" => conform
                .arg("--scenarios")
                .arg(folder().join("scenarios/duo")),
            word => conform.arg(word),
        };
    }
    let output = finish(conform.spawn().unwrap());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, shown)
}

#[test]
fn every_fault_is_killed_and_no_variant_is_accused() {
    let dir = TestDir::new();
    let (output, shown) = conform(&dir, "mutants {scenarios} {agent}");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(shown.contains("28 of 28 faults killed"), "{shown}");

    let (output, shown) = conform(&dir, "mutants --legal {scenarios} {agent}");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(shown.contains("6 of 6 legal variants"), "{shown}");
    assert!(!shown.contains("NOT ACTIVE"), "{shown}");

    let (output, shown) = conform(&dir, "mutants --side host");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(shown.contains("11 of 11 faults killed"), "{shown}");
}

/// Generic faults, one or more of each kind of message.
const KILLED: [&str; 7] = [
    "drop:hello.result",
    "retype:ask.result:/id",
    "double:ask.result",
    "changed:note.word:/method",
    "emptied:note.word:/jsonrpc",
    "retype:ask.result:/result/answer",
    "retype:hello.result:/result/protocol",
];

#[test]
fn generic_faults_are_made_of_each_message_by_its_name() {
    let dir = TestDir::new();
    let only = KILLED.map(|fault| format!("--only {fault}")).join(" ");
    let command = format!("mutants --generic {only} {{scenarios}} {{agent}}");
    let (output, shown) = conform(&dir, &command);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let fate = |fault: &str| {
        let mut lines = shown.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(fault));
        line.unwrap_or_else(|| panic!("no {fault}: {shown}"))
    };
    for killed in KILLED {
        assert!(fate(killed).contains("killed"), "{}", fate(killed));
    }
    let other = "changed:hello.result:/result/answer";
    let command = format!("mutants --generic --only {other} {{scenarios}} {{agent}}");
    let (output, _) = conform(&dir, &command);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

/// A fault that the agent shows by its time: it takes long for an ask that has this text.
const SLOW: &str = r#"
  slow: { summary: an ask is slow, on: ">ask", set: { /params/text: slow }, caught_by: [json-rpc/left-open] }
"#;

/// The fate of that fault, with an agent that is slow always, or only once as if the machine were busy.
fn fate_of_slow(always: bool) -> (Option<i32>, String) {
    let dir = TestDir::new();
    let once = dir.path("was-slow");
    let text = std::fs::read_to_string(folder().join("agent.py")).unwrap();
    let condition = if always {
        "True"
    } else {
        "not os.path.exists(ONCE)"
    };
    let agent = text
        .replace("import sys\n", &format!("import os\nimport sys\n\nONCE = {once:?}\n"))
        .replace(
            "        note(\"thinking\")\n",
            &format!("        if text == \"slow\" and {condition}:\n            return open(ONCE, \"w\").close()\n        note(\"thinking\")\n"),
        );
    assert!(
        agent.contains("ONCE =") && agent.contains(condition),
        "{agent}"
    );
    let agent = dir.file("agent.py", &agent);
    let from = folder().join("dialects/duo/1");
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let mut text = std::fs::read_to_string(file.path()).unwrap();
        if name == "faults.yaml" {
            text += SLOW;
        }
        dir.file(&format!("dialects/duo/1/{name}"), &text);
    }
    let scenario = dir.file(
        "scenarios/one.yaml",
        "name: an ask is answered\nclauses: [duo.once]\nbudgets: { response: 2s, idle: 2s }\nsteps:\n  - send: { message: ask, params: {} }\n  - expect: { message: confirm }\n  - send: { message: confirm.result, result: { choice: q7 } }\n  - expect: { message: ask.result }\n",
    );
    let mut mutants = dir.command("mutants");
    mutants.args(["--dialect", "duo@1", "--only", "slow", "--dialect-dir"]);
    mutants.arg(dir.path("dialects"));
    mutants.args(["--scenarios", &scenario, "python3", &agent]);
    let output = finish(mutants.spawn().unwrap());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), shown)
}

#[test]
fn a_kill_by_time_counts_only_if_it_comes_again_when_the_fault_is_played_alone() {
    let (status, shown) = fate_of_slow(true);
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("1 of 1 fault killed"), "{shown}");
    let (status, shown) = fate_of_slow(false);
    assert_eq!(status, Some(1), "{shown}");
    assert!(shown.contains("SURVIVED"), "{shown}");
}

const SCRIPT: &str = r##"
commands:
  - on: { message: hello }
    do: [{ send: { message: hello.result, result: { protocol: duo } } }]
  - on: { message: ask }
    do:
      - send: { message: note, params: { kind: word, text: thinking } }
      - send: { message: confirm, params: { options: [{ kind: no, id: x9 }, { kind: yes, id: q7 }] } }
  - on: { message: confirm.result }
    capture: { choice: /result/choice }
    do: [{ send: { message: ask.result, result: { answer: "{choice}" } } }]
  - on: { message: confirm.error }
    do: [{ send: { message: ask.result, result: { answer: none } } }]
  - on: { message: stop }
    do: [{ send: { message: note, params: { kind: word, text: stopped } } }]
unknown:
  - send: { error: { code: -32601, message: unknown } }
"##;

#[test]
fn a_script_names_messages_and_need_not_write_ids() {
    let dir = TestDir::new();
    let script = dir.file("agent.yaml", SCRIPT);
    let command = format!("run {{scenarios}} --agent-script {script}");
    let (output, shown) = conform(&dir, &command);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(shown.contains("2 passed"), "{shown}");

    let wrong = SCRIPT.replace("message: hello.result", "message: hello.results");
    let script = dir.file("wrong.yaml", &wrong);
    let command = format!("run {{scenarios}} --agent-script {script}");
    let (_, shown) = conform(&dir, &command);
    assert!(
        shown.contains("unknown event of duo@1 `hello.results`"),
        "{shown}"
    );
}
