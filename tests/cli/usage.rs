//! Command line, help and output streams.

use crate::{conform, outcome};
use predicates::str::contains;
use std::process::{Command, Stdio};

#[test]
fn help_and_version_exit_with_success() {
    conform(&["--version"])
        .assert()
        .code(0)
        .stdout(format!("conform {}\n", env!("CARGO_PKG_VERSION")));
    let (status, stdout, stderr) = outcome(&mut conform(&["--help"]));
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    for word in ["run", "check", "explain", "Exit status:"] {
        assert!(stdout.contains(word), "{word} in {stdout}");
    }
}

#[test]
fn wrong_arguments_are_usage_errors_with_a_message() {
    let cases: [(&[&str], &str); 8] = [
        (&[], "Usage: conform <COMMAND>"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["check"], "<TRANSCRIPT>..."),
        (
            &["check", "--frobnicate", "x"],
            "unexpected argument '--frobnicate'",
        ),
        (
            &["check", "--side", "left", "x"],
            "possible values: agent, host",
        ),
        (
            &["check", "--report", "xml=x", "x"],
            "unknown format `xml` (one of github, html, json",
        ),
        (
            &["record", "--out", "x", "--report", "json=y", "--", "agent"],
            "`conform check --report FORMAT=PATH TRANSCRIPT`",
        ),
        (
            &["run", "--frobnicate"],
            "unexpected argument '--frobnicate'",
        ),
    ];
    for (args, message) in cases {
        conform(args).assert().code(2).stderr(contains(message));
    }
}

#[test]
fn a_place_that_cannot_be_written_or_read_is_an_error_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    let in_file = format!("json={}", file.join("report.json").display());
    let is_folder = format!("json={}", folder.path().display());
    let first = format!("json={}", file.display());
    let second = format!("junit={}", file.display());
    let one_place = "the report json and the report junit cannot be one file:";
    let cases: [(&[&str], &str); 6] = [
        (&["run", "--report", &in_file], "cannot write"),
        (&["run", "--report", &is_folder], "Is a directory"),
        (&["explore", "--report", &is_folder], "Is a directory"),
        (&["run", "--report", &first, "--report", &second], one_place),
        (
            &["run", "--report", "json=-", "--report", "junit=-"],
            one_place,
        ),
        (
            &["run", "--dialect-dir", "no/folder"],
            "'--dialect-dir <DIR>': there is no such folder",
        ),
    ];
    for (args, message) in cases {
        let run = conform(args).assert().code(2);
        run.stderr(contains(message)).stdout("");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
}

#[test]
fn a_closed_stdout_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["list", "clauses", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), "")
    );
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["list", "clauses"])
        .stdout(full.unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the output"));
}

#[test]
fn colors_are_used_only_on_request_or_for_a_terminal() {
    let (_, plain, _) = outcome(&mut conform(&["list", "dialects"]));
    assert!(!plain.contains('\u{1b}'));
    let (_, colored, _) = outcome(conform(&["list", "dialects"]).env("CLICOLOR_FORCE", "1"));
    assert!(colored.contains('\u{1b}'));
}
