//! A host that sends many commands before it reads: the judge keeps up, and no answer is lost.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

const COMMANDS: usize = 10_000;

#[test]
fn every_answer_to_commands_without_ids_comes_although_all_are_outstanding() {
    let folder = tempfile::tempdir().unwrap();
    let judge = folder.path().join("host.txt");
    let mut agent = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
        .args(["--mode", "rpc"])
        .current_dir(folder.path())
        .env("MOCK_AGENT_JUDGE", &judge)
        // All answers are due at once, after the last command, and later than the agent waits for a host that does not read.
        .env("MOCK_AGENT_LATENCY_MS", "2500")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = agent.stdin.take().unwrap();
    stdin
        .write_all("{\"type\":\"get_state\"}\n".repeat(COMMANDS).as_bytes())
        .unwrap();
    drop(stdin);
    let answers = BufReader::new(agent.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert_eq!(answers.filter(|line| line.ends_with('}')).count(), COMMANDS);
    assert!(agent.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(judge).unwrap(), "");
}
