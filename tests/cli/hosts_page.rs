//! docs/hosts.md and docs/model.md show what is in the examples; docs/hosts.md names faults that exist; the tests in the examples fail for a
//! host with a bug.

use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../docs/hosts.md");
const MODEL_PAGE: &str = include_str!("../../docs/model.md");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_excerpt_is_in_the_file_that_it_names() {
    let fences = Regex::new(r"(?ms)^```\w+ file=(\S+)\n(.*?)^```$").unwrap();
    for (page, at_least) in [(PAGE, 6), (MODEL_PAGE, 4)] {
        let mut files = BTreeSet::new();
        for excerpt in fences.captures_iter(page) {
            let (file, text) = (&excerpt[1], &excerpt[2]);
            let whole = fs::read_to_string(root().join(file)).unwrap();
            assert!(whole.contains(text), "not in {file}:\n{text}");
            files.insert(file.to_owned());
        }
        assert!(files.len() >= at_least, "excerpts of {files:?} only");
    }
}

#[test]
fn every_fault_of_the_page_exists() {
    let faults = fs::read_to_string(root().join("schemas/aionrs/0.1/faults.yaml")).unwrap();
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let name = Regex::new(r"`([a-z0-9-]+)`").unwrap();
    let mut named = 0;
    for row in rows {
        let faults_of_row = row.split('|').nth(1).unwrap();
        for fault in name.captures_iter(faults_of_row) {
            let entry = Regex::new(&format!(r"(?m)^  {}:", &fault[1])).unwrap();
            assert!(entry.is_match(&faults), "{}", &fault[1]);
            named += 1;
        }
    }
    assert!(named > 8, "found only {named} faults");
}

/// Runs the shell's test with a host: the text of the example with a part of it replaced.
fn shell_test(from: &str, to: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("examples/shell-host");
    let host = fs::read_to_string(example.join("host.sh")).unwrap();
    assert!(host.contains(from), "{from}");
    let changed = folder.path().join("host.sh");
    fs::write(&changed, host.replace(from, to)).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_conform")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    Command::new("sh")
        .arg(example.join("test.sh"))
        .arg("sh")
        .arg(changed)
        .args(["What is the answer?", "mock-agent"])
        .env("PATH", format!("{}:{path}", bin.display()))
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn the_test_in_the_shell_passes_for_the_host() {
    let output = shell_test("m1", "m1");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_test_in_the_shell_fails_for_a_host_that_breaks_the_protocol() {
    let output = shell_test(r#""msg_id":"m1","#, r#""msg_id":"m1","msg_id":"m2","#);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success());
    assert!(text.contains("aionrs/line-ends-in"), "{text}");
}

/// A lock file with addresses would tie the example to one registry.
#[test]
fn the_web_host_is_pinned_and_names_no_registry() {
    let folder = root().join("examples/web-host");
    let lock = fs::read_to_string(folder.join("package-lock.json")).unwrap();
    assert!(lock.contains(r#""integrity": "sha512-"#));
    assert!(!lock.contains("://"));
    let package = fs::read_to_string(folder.join("package.json")).unwrap();
    let ci = fs::read_to_string(root().join(".ci/npm.txt")).unwrap();
    let version = Regex::new(r#""playwright-core": "([0-9.]+)""#).unwrap();
    let version = &version.captures(&package).unwrap()[1];
    assert!(ci.contains(&format!("playwright-core@{version}")));
}
