//! Every script in every dialect: the agent keeps the protocol, writes the same bytes each time, and echoes the next prompt.

use crate::scripts::host::{Host, PROTOCOLS, Protocol, protocol};
use crate::scripts::process::{Workspace, command};

/// Scripts that have a test of their own, because of their size.
const LARGE: [&str; 2] = ["long-output", "many-deltas"];

/// The names in `--list-scripts`.
fn scripts(args: &[&str]) -> Vec<String> {
    let workspace = Workspace::new();
    let args = [args, &["--list-scripts"]].concat();
    let output = command(&workspace, &args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// A session in which each script is chosen by a marker, and followed by a prompt without one.
fn session(protocol: &'static Protocol) -> Vec<String> {
    let workspace = protocol.workspace();
    let mut host = Host::start(protocol, &workspace, &[]);
    let mut lines = Vec::new();
    for script in scripts(protocol.args) {
        if LARGE.contains(&script.as_str()) {
            continue;
        }
        let played = host.prompt(&format!("Please @mock script={script}"));
        let is_echo = |line: &String| line.contains("\"said: \"");
        assert!(!played.iter().any(is_echo), "{script}");
        let echoed = host.prompt("hello");
        assert!(echoed.iter().any(is_echo), "after {script}: {echoed:?}");
        // The host's answers to several requests at once race with the tools, and so does output that is shown as it comes.
        let races = script == "parallel-tools" && protocol.asks_before_tools
            || script == "long-tool-output" && protocol.dialect == "acp@1";
        if !races {
            lines.extend(played);
        }
        lines.extend(echoed);
    }
    assert_eq!(host.finish(), Vec::<String>::new(), "{}", protocol.dialect);
    // Some messages have the path of a file.
    let folder = workspace.path().to_string_lossy();
    let same_folder = |line: &String| line.replace(&*folder, "/workspace");
    lines.iter().map(same_folder).collect()
}

fn check(dialect: &str) {
    let protocol = protocol(dialect);
    let (first, second) = (session(protocol), session(protocol));
    for (first, second) in first.iter().zip(&second) {
        similar_asserts::assert_eq!(first, second);
    }
    assert_eq!(first.len(), second.len());
}

#[test]
fn every_dialect_is_played() {
    let played = PROTOCOLS.iter().map(|protocol| protocol.dialect.to_owned());
    let spoken = mock_agent::dialects().map(|(name, version)| format!("{name}@{version}"));
    assert_eq!(played.collect::<Vec<_>>(), spoken.collect::<Vec<_>>());
}

#[test]
fn of_acp_1() {
    check("acp@1");
}

#[test]
fn of_aionrs_0_1() {
    check("aionrs@0.1");
}

#[test]
fn of_aionrs_0_2() {
    check("aionrs@0.2");
}

#[test]
fn of_pi_0_14() {
    check("pi@0.14");
}

#[test]
fn of_pi_0_73() {
    check("pi@0.73");
}

#[test]
fn of_pi_0_87() {
    check("pi@0.87");
}

#[test]
fn of_pi_1_6() {
    check("pi@1.6");
}

#[test]
fn of_synaps_1() {
    check("synaps@1");
}
