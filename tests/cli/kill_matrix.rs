//! Mutation tests of the rules: faults are killed as published, every testable clause is covered, and wrong or ineffective rules are
//! found.

use assert_cmd::Command;
use conform_runner::mutation::matrix::Matrix;
use frame_faults::{Effect, Fault};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use crate::dialect_faults::faults_of;

const DIALECT: &str = "aionrs@0.1";

fn conform(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("conform").unwrap();
    let output = command.args(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

fn matrix(folder: &Path) -> Matrix {
    let text = fs::read(folder.join(format!("{DIALECT}.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn published() -> Matrix {
    matrix(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/published/kill-matrix"))
}

/// What tells the kind of operation of a fault from another.
fn operation(fault: &Fault) -> String {
    match &fault.effect {
        Effect::Events(parts) => {
            let first = parts.first().map(|part| discriminant(&part.operation));
            format!("{first:?}")
        }
        effect => format!("{:?}", discriminant(effect)),
    }
}

/// For each kind of operation, the first fault that has it, by dialect.
fn smoke_faults() -> BTreeMap<String, Vec<String>> {
    let mut operations = BTreeSet::new();
    let mut chosen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version) in mock_agent::dialects() {
        for fault in faults_of(name, version) {
            if !fault.caught_by.is_empty() && operations.insert(operation(&fault)) {
                let dialect = format!("{name}@{version}");
                chosen.entry(dialect).or_default().push(fault.id);
            }
        }
    }
    assert!(operations.len() > 15, "{operations:?}");
    chosen
}

/// `.ci/run` plays all faults; this test plays one for each kind of operation.
#[test]
fn a_fault_of_each_kind_of_operation_is_killed_as_published() {
    for (dialect, ids) in smoke_faults() {
        let mut args = vec!["mutants", "--dialect", &dialect];
        for id in &ids {
            args.extend(["--only", id]);
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/published/kill-matrix");
        let folder = folder.display().to_string();
        args.extend(["--compare", &folder]);

        let (status, output) = conform(&args);

        assert_eq!(status, Some(0), "{output}");
        for id in ids {
            assert!(output.contains(&id), "{id} was not played: {output}");
        }
    }
}

#[test]
fn a_fault_that_is_killed_differently_than_published_is_an_error() {
    let mut before = published();
    let row = before
        .faults
        .iter_mut()
        .find(|row| row.fault == "ignores-stop");
    row.unwrap().must = vec!["aionrs/another-rule".to_owned()];
    let folder = tempfile::tempdir().unwrap();
    let text = serde_json::to_string(&before).unwrap();
    fs::write(folder.path().join(format!("{DIALECT}.json")), text).unwrap();
    let place = folder.path().display().to_string();

    let (status, output) = conform(&[
        "mutants",
        "--dialect",
        DIALECT,
        "--only",
        "ignores-stop",
        "--compare",
        &place,
    ]);

    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains("1 of 1 fault killed"), "{output}");
    assert!(
        output.contains("error: ignores-stop: its must is"),
        "{output}"
    );
}

#[test]
fn shards_of_a_mutation_run_play_each_fault_once() {
    let faults = ["stops-once", "stop-without-end", "stop-keeps-request"];
    let played = |part: &str| {
        let mut args = vec!["mutants", "--dialect", DIALECT, "--shard", part];
        for fault in faults {
            args.extend(["--only", fault]);
        }
        let (status, output) = conform(&args);
        assert_eq!(status, Some(0), "{output}");
        let is_played = |fault: &&str| {
            output
                .lines()
                .any(|line| line.starts_with(&format!("{fault} ")))
        };
        faults.into_iter().filter(is_played).collect::<Vec<_>>()
    };

    let (first, second) = (played("1/2"), played("2/2"));

    assert_eq!((first.len(), second.len()), (2, 1), "{first:?} {second:?}");
    assert!(!first.contains(&second[0]), "{first:?} {second:?}");
}

#[test]
fn a_seed_chooses_the_faults_of_a_sample() {
    let played = |seed: &str| {
        let hosts = ["mutants", "--side", "host", "--dialect", DIALECT];
        let (status, output) = conform(&[&hosts[..], &["--sample", "3", "--seed", seed]].concat());
        assert_eq!(status, Some(0), "{output}");
        assert!(output.contains("3 of 3 faults killed"), "{output}");
        output
    };
    assert_eq!(played("1"), played("1"));
    assert_ne!(played("1"), played("2"));
}

#[test]
fn the_published_matrix_contains_every_fault_of_the_agent() {
    let published = published();
    assert!(!published.faults.is_empty());
    for fault in faults_of("aionrs", "0.1") {
        if !fault.caught_by.is_empty() {
            let row = published.faults.iter().find(|row| row.fault == fault.id);
            let row = row.unwrap_or_else(|| panic!("{} is not published", fault.id));
            assert_eq!(row.complaint(), None);
        }
    }
    assert_eq!(published.rules_without_killer, Vec::<String>::new());
}

#[test]
fn every_testable_clause_has_a_check_and_a_fault() {
    let (status, output) = conform(&["coverage", "--dialect", DIALECT, "--gaps"]);
    assert_eq!(status, Some(0), "{output}");
}

/// A dialect folder that contains aionrs@0.1 with one more rule.
fn dialect_with_rule(rule: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("aionrs/0.1");
    fs::create_dir_all(&own).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/aionrs/0.1");
    for entry in fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let to = own.join(path.file_name().unwrap());
        let more = if path.ends_with("ordering.yaml") {
            rule
        } else {
            ""
        };
        fs::write(to, fs::read_to_string(path).unwrap() + more).unwrap();
    }
    let path = folder.path().display().to_string();
    (folder, path)
}

#[test]
fn a_rule_that_is_too_strict_fails_the_reference_agent() {
    let wrong = "
  thinks-first:
    require: { on: text_delta, that: { seen: thinking } }
    doc: Every turn begins with thinking.
";
    let (_folder, path) = dialect_with_rule(wrong);
    let dialect = ["--dialect-dir", &path, "--dialect", DIALECT];
    let (status, output) = conform(&[&["run", "--only", "turn/plain"], &dialect[..]].concat());
    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains("aionrs/thinks-first"), "{output}");
}

#[test]
fn a_rule_that_can_never_fail_is_rejected_by_the_linter() {
    let ineffective = "
  anything-goes:
    order: any*
    doc: Events come.
";
    let (_folder, path) = dialect_with_rule(ineffective);
    let (status, output) = conform(&["lint", &path]);
    assert_ne!(status, Some(0), "{output}");
    assert!(output.contains("this order can never fail"), "{output}");
}

#[test]
fn a_rule_that_no_fault_kills_is_a_gap_in_the_coverage() {
    let ineffective = "
  text-is-text:
    require: { on: text_delta, that: { not: { all: [/text present, /text absent] } } }
    doc: A text is there or not.
";
    let (_folder, path) = dialect_with_rule(ineffective);
    let dialect = ["--dialect-dir", &path, "--dialect", DIALECT];
    let (status, output) = conform(&[&["coverage", "--gaps"], &dialect[..]].concat());
    assert_eq!(status, Some(1), "{output}");
    assert!(
        output.contains("aionrs/text-is-text: no fault shows that it can fail"),
        "{output}"
    );
}

#[test]
fn one_fault_can_be_selected_and_an_unknown_one_is_an_error() {
    let (status, output) = conform(&["mutants", "--dialect", DIALECT, "--only", "two-stream-ends"]);
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains("1 of 1 fault killed"), "{output}");
    let (status, output) = conform(&["mutants", "--dialect", DIALECT, "--only", "no-such-fault"]);
    assert_eq!(status, Some(3), "{output}");
}
