//! Mistakes in the variables of the reference agent: each is one error at the start, and no file is left or lost.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Variables, and a part of the error. `{folder}` is the folder of the test.
const MISTAKES: [(&[(&str, &str)], &str); 18] = [
    (
        &[
            ("MOCK_AGENT_JUDGE", "{folder}/x"),
            ("MOCK_AGENT_TRANSCRIPT", "{folder}/./x"),
        ],
        "cannot be one file",
    ),
    (
        &[
            ("MOCK_AGENT_JUDGE", "{folder}/x"),
            ("MOCK_AGENT_TRANSCRIPT", "{folder}/none/t"),
        ],
        "none/t",
    ),
    (&[("MOCK_AGENT_JUDGE", "{folder}/none/x")], "none/x"),
    (&[("MOCK_AGENT_JUDGE", "{folder}/pipe")], "nothing reads it"),
    (
        &[("MOCK_AGENT_TRANSCRIPT", "{folder}/pipe")],
        "nothing reads it",
    ),
    (
        &[("MOCK_AGENT_DIALECT_DIR", "{folder}/none")],
        "MOCK_AGENT_DIALECT_DIR",
    ),
    (
        &[("MOCK_AGENT_SESSIONS", "{folder}/file/none")],
        "MOCK_AGENT_SESSIONS",
    ),
    (&[("MOCK_AGENT_LOG", "a=b=c")], "MOCK_AGENT_LOG"),
    (&[("MOCK_AGENT_LOG", "loud")], "is not a level"),
    (&[("MOCK_AGENT_LOGIN", "maybe")], "MOCK_AGENT_LOGIN"),
    (
        &[("MOCK_AGENT_SCRIPTS", "approval")],
        "did you mean `MOCK_AGENT_SCRIPT`",
    ),
    (&[("MOCK_AGENT_SEED", "x")], "MOCK_AGENT_SEED"),
    (&[("MOCK_AGENT_GATE_MS", "-1")], "MOCK_AGENT_GATE_MS"),
    (&[("MOCK_AGENT_LATENCY_MS", "1s")], "MOCK_AGENT_LATENCY_MS"),
    (&[("MOCK_AGENT_CLOCK", "fast")], "MOCK_AGENT_CLOCK"),
    (&[("MOCK_AGENT_PACE", "fast")], "MOCK_AGENT_PACE"),
    (&[("MOCK_AGENT_RETRIES", "many")], "MOCK_AGENT_RETRIES"),
    (&[("MOCK_AGENT_FAULT", "no-such")], "no-such"),
];

fn start(folder: &Path, variables: &[(&str, &str)], protocol: &[&str]) -> Output {
    let folder_name = folder.to_str().unwrap();
    Command::new(env!("CARGO_BIN_EXE_mock-agent"))
        .args(protocol)
        .current_dir(folder)
        .envs(
            variables
                .iter()
                .map(|(name, value)| (name, value.replace("{folder}", folder_name))),
        )
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_mistake_in_a_variable_is_an_error_in_every_protocol() {
    for protocol in [
        &["--json-stream"][..],
        &["rpc"],
        &["--mode", "rpc"],
        &["--acp"],
    ] {
        for (variables, message) in MISTAKES {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("file"), "").unwrap();
            rustix::fs::mknodat(
                rustix::fs::CWD,
                folder.path().join("pipe"),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .unwrap();
            let output = start(folder.path(), variables, protocol);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{variables:?} {stderr}");
            assert!(stderr.contains(message), "{variables:?} {stderr}");
            assert!(!folder.path().join("x").exists(), "{variables:?}");
        }
    }
}

#[test]
fn mistakes_of_an_earlier_session_stay() {
    let folder = tempfile::tempdir().unwrap();
    let judge = folder.path().join("host.txt");
    fs::write(&judge, "CAUSE 1 of an earlier session\n").unwrap();
    let output = start(
        folder.path(),
        &[("MOCK_AGENT_JUDGE", "{folder}/host.txt")],
        &["--json-stream"],
    );
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("earlier session"));
    assert!(
        fs::read_to_string(judge)
            .unwrap()
            .starts_with("CAUSE 1 of an")
    );
}
