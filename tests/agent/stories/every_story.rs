//! Every story in every dialect: the agent keeps the protocol, writes the same bytes each time, and echoes the next prompt.

use crate::stories::host::{Host, PROTOCOLS, Protocol};
use crate::stories::process::{Workspace, command};

/// Stories that have a test of their own, because of their size.
const LARGE: [&str; 2] = ["long-output", "many-deltas"];

/// The names in `--list-scripts`.
fn stories(args: &[&str]) -> Vec<String> {
    let workspace = Workspace::new();
    let args = [args, &["--list-scripts"]].concat();
    let output = command(&workspace, &args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// A session in which each story is chosen by a marker, and followed by a prompt without one.
fn session(protocol: &'static Protocol) -> Vec<String> {
    let workspace = protocol.workspace();
    let mut host = Host::start(protocol, &workspace, &[]);
    let mut lines = Vec::new();
    for story in stories(protocol.args) {
        if LARGE.contains(&story.as_str()) {
            continue;
        }
        let played = host.prompt(&format!("Please @mock script={story}"));
        let is_echo = |line: &String| line.contains("\"said: \"");
        assert!(!played.iter().any(is_echo), "{story}");
        let echoed = host.prompt("hello");
        assert!(echoed.iter().any(is_echo), "after {story}: {echoed:?}");
        // The host's answers to several requests at once race with the tools.
        if story != "parallel-tools" || !protocol.asks_before_tools {
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
    let mut protocols = PROTOCOLS.iter();
    let protocol = protocols
        .find(|protocol| protocol.dialect == dialect)
        .unwrap();
    let (first, second) = (session(protocol), session(protocol));
    for (first, second) in first.iter().zip(&second) {
        similar_asserts::assert_eq!(first, second);
    }
    assert_eq!(first.len(), second.len());
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
fn of_synaps_1() {
    check("synaps@1");
}
