//! The README is true: every command in its `console` blocks is run, and says what stands there.
//!
//! `...` on a line of its own stands for any lines. Times, ports and counts of the sum may differ.

use regex::Regex;
use snapbox::IntoData;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command and what stands below it.
struct Shown {
    command: String,
    output: String,
}

fn shown(readme: &str) -> Vec<Shown> {
    let blocks = Regex::new(r"(?ms)^```console\n(.*?)^```$").unwrap();
    let mut all = Vec::new();
    for block in blocks.captures_iter(readme) {
        for line in block[1].lines() {
            match (line.strip_prefix("$ "), all.last_mut()) {
                (Some(command), _) => all.push(Shown {
                    command: command.to_owned(),
                    output: String::new(),
                }),
                (None, Some(Shown { output, .. })) => *output += &format!("{line}\n"),
                (None, None) => panic!("output without a command: {line}"),
            }
        }
    }
    all
}

/// A shell that knows the built programs, in a folder that looks like the root of the repository.
fn shell(command: &str, folder: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_conform")).parent().unwrap();
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let command = command.replacen("cargo run --release -- ", "conform ", 1);
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("exec 2>&1\n{command}"))
        .env("PATH", path)
        .env("HOME", folder)
        .current_dir(folder);
    shell
}

/// What a command says; of one that serves until it is stopped, the first line.
fn said(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "scenarios"] {
        symlink(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(name),
            folder.path().join(name),
        )
        .unwrap();
    }
    let mut said = String::new();
    if command.starts_with("conform provider") {
        let mut child = shell(&format!("exec {command}"), folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut said)
            .unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    } else {
        let mut child = shell(command, folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        child.wait().unwrap();
    }
    said
}

/// The text without what differs from run to run.
fn settled(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, instead) in [
        (r"(?m)^note: the agent speaks aionrs@0\.1: .*\n", ""),
        (r"\[ *\d+\.\d+s\]", "[time]"),
        (r" +\d+(\.\d+)? (µs|ms)  ", " time  "),
        (r"127\.0\.0\.1:\d+", "127.0.0.1:port"),
        (r"\d+ scenarios: \d+ passed", "N scenarios: N passed"),
        (r"Clauses \d+ of \d+", "Clauses N of N"),
    ] {
        text = Regex::new(pattern)
            .unwrap()
            .replace_all(&text, instead)
            .into_owned();
    }
    text
}

#[test]
fn every_command_says_what_stands_below_it() {
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let all = shown(&readme);
    assert!(all.len() > 5, "found only {} commands", all.len());
    for Shown { command, output } in all {
        let expected = settled(&output).into_data();
        snapbox::Assert::new()
            .try_eq(
                Some(&command),
                settled(&said(&command)).into_data(),
                expected,
            )
            .unwrap_or_else(|difference| panic!("{command}\n{difference}"));
    }
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let links = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let targets: Vec<_> = links
        .captures_iter(&readme)
        .map(|link| link[1].to_owned())
        .collect();
    assert!(!targets.is_empty());
    for target in targets {
        assert!(
            target.starts_with("https://") || root.join(&target).exists(),
            "{target}"
        );
    }
}
