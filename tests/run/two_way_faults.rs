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
