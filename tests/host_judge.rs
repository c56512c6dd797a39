//! The judge of the host in the reference agent: `--judge`, `MOCK_AGENT_JUDGE` and `MOCK_AGENT_TRANSCRIPT`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a host sends, and whether it waits for the agent's first line before.
struct Host<'a> {
    args: &'a [&'a str],
    waits: bool,
    sends: &'a str,
}

impl Host<'_> {
    /// Talks to `mock-agent`, judged into the folder.
    fn run(&self, folder: &TempDir) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
            .args(self.args)
            .current_dir(folder.path())
            .env("MOCK_AGENT_JUDGE", folder.path().join("findings-{pid}.txt"))
            .env("MOCK_AGENT_TRANSCRIPT", folder.path().join("session.jsonl"))
            // What a host sends before it has read a line must pass before that line is written.
            .env(
                "MOCK_AGENT_LATENCY_MS",
                if self.waits { "0" } else { "500" },
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        if self.waits {
            stdout.read_line(&mut String::new()).unwrap();
        }
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(self.sends.as_bytes()).unwrap();
        drop(stdin);
        std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        child.wait_with_output().unwrap()
    }
}

fn findings(folder: &Path) -> String {
    let mut files = std::fs::read_dir(folder).unwrap().flatten();
    let file = files.find(|file| file.file_name().to_string_lossy().starts_with("findings-"));
    std::fs::read_to_string(file.expect("a file with findings").path()).unwrap()
}

const MESSAGE: &str = "{\"type\":\"message\",\"msg_id\":\"m1\",\"input\":\"hi\"}\n";

#[test]
fn a_host_that_keeps_the_protocol_has_no_finding_and_the_agent_s_own_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host {
        args: &["--json-stream", "--judge"],
        waits: true,
        sends: MESSAGE,
    };
    let output = host.run(&folder);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(findings(folder.path()), "");
    let mut check = Command::new(env!("CARGO_BIN_EXE_conform"));
    check
        .args(["check", "--side", "host"])
        .arg(folder.path().join("session.jsonl"));
    assert_eq!(check.output().unwrap().status.code(), Some(0));
}

#[test]
fn each_mistake_of_a_host_is_named_with_its_clause_and_its_frame() {
    for (args, waits, sends, rule, clause, frame) in [
        (
            &["--json-stream"][..],
            false,
            MESSAGE,
            "host-waits-for-ready",
            "aionrs.ready.host-waits",
            "\"m1\"",
        ),
        (
            &["--json-stream", "--protocol", "0.2"],
            true,
            MESSAGE,
            "schema/>message",
            "aionrs.message.shape",
            "\"m1\"",
        ),
        (
            &["rpc"],
            true,
            "{\"type\":\"compact\"}\n",
            "schema/>compact",
            "synaps.compact.fields",
            "compact",
        ),
        (
            &["--mode", "rpc", "--protocol", "0.87"],
            false,
            "{\"type\":\"prompt\"}\n",
            "schema/>prompt",
            "pi.prompt.fields",
            "prompt",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let judged = [args, &["--judge"]].concat();
        let output = Host {
            args: &judged,
            waits,
            sends,
        }
        .run(&folder);
        let text = findings(folder.path());
        for part in [rule, clause, frame] {
            assert!(text.contains(part), "no {part} in {text}\n{output:?}");
        }
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("host: must"),
            "{output:?}"
        );
    }
}

#[test]
fn without_the_flag_the_exit_status_is_the_agent_s() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host {
        args: &["--json-stream"],
        waits: false,
        sends: MESSAGE,
    };
    let output = host.run(&folder);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(findings(folder.path()).contains("host-waits-for-ready"));
}
