//! `conform report`.

use crate::{conform, outcome, transcript};
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// Checks these transcripts; returns the path of the JSON report.
fn write_report(folder: &TempDir, name: &str, transcripts: &[&str]) -> String {
    let path = folder.path().join(name).display().to_string();
    let transcripts: Vec<_> = transcripts.iter().map(|name| transcript(name)).collect();
    let mut command = conform(&["check", "--report", &format!("json={path}")]);
    command.args(transcripts).output().unwrap();
    path
}

#[test]
fn a_json_report_renders_to_the_output_of_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_report(&folder, "r.json", &["wrong-id.jsonl", "good.jsonl"]);
    let (_, checked, _) = outcome(&mut conform(&[
        "check",
        &transcript("good.jsonl"),
        &transcript("wrong-id.jsonl"),
    ]));
    let (status, rendered, _) = outcome(&mut conform(&["report", &path]));
    let without_time = |text: &str| {
        text.lines()
            .filter(|line| !line.contains("Summary"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(status, Some(0));
    similar_asserts::assert_eq!(without_time(&rendered), without_time(&checked));
}

#[test]
fn a_report_renders_to_files_in_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_report(&folder, "r.json", &["wrong-id.jsonl"]);
    let xml = folder.path().join("r.xml");
    conform(&["report", &path, "--to", &format!("junit={}", xml.display())])
        .assert()
        .code(0);
    assert!(fs::read_to_string(xml).unwrap().contains("failures=\"1\""));
}

#[test]
fn a_baseline_marks_the_causes_of_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_report(&folder, "r.json", &["wrong-id.jsonl"]);
    let baseline = folder.path().join("baseline.yaml");
    let entry = "causes: [{ cause: \"*\", what: all, scenarios: [\"*\"], reason: it is known }]";
    fs::write(&baseline, entry).unwrap();
    conform(&["report", &path, "--baseline"])
        .arg(&baseline)
        .assert()
        .code(0)
        .stdout(contains("1 passed; 1 known finding"))
        .stdout(contains("it is known"));
    conform(&["report", &path, "--baseline", "none.yaml"])
        .assert()
        .code(2)
        .stderr(contains("none.yaml: the baseline does not exist"));
}

#[test]
fn a_report_without_causes_gets_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_report(&folder, "r.json", &["wrong-id.jsonl"]);
    let (_, expected, _) = outcome(&mut conform(&["report", &path]));
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    report.as_object_mut().unwrap().remove("causes");
    for finding in report["scenarios"][0]["findings"].as_array_mut().unwrap() {
        finding.as_object_mut().unwrap().remove("cause");
        finding.as_object_mut().unwrap().remove("follows_from");
    }
    fs::write(&path, report.to_string()).unwrap();
    let (_, rendered, _) = outcome(&mut conform(&["report", &path]));
    assert!(rendered.contains("CAUSE 1 of 1"), "{rendered}");
    similar_asserts::assert_eq!(rendered, expected);
}

#[test]
fn the_reports_of_shards_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (
        write_report(&folder, "1.json", &["good.jsonl"]),
        write_report(&folder, "2.json", &["wrong-id.jsonl"]),
    );
    conform(&["report", "merge", &one, &two])
        .assert()
        .code(0)
        .stdout(contains("2 transcripts: 1 passed, 1 failed"));
    conform(&["report", "merge", &one, &one])
        .assert()
        .code(2)
        .stderr(contains("two reports have an entry 'good.jsonl'"));
}

#[test]
fn an_invalid_report_is_an_error_with_its_location() {
    conform(&["report", &transcript("good.jsonl")])
        .assert()
        .code(2)
        .stderr(contains("good.jsonl:1:"))
        .stderr(contains("not a report of conform"));
    let folder = tempfile::tempdir().unwrap();
    let path = write_report(&folder, "old.json", &["good.jsonl"]);
    let old = fs::read_to_string(&path).unwrap();
    fs::write(&path, old.replace("\"format\": 3", "\"format\": 2")).unwrap();
    conform(&["report", &path])
        .assert()
        .code(2)
        .stderr(contains(
            "a report of another version of conform (its format is 2, not 3)",
        ));
    conform(&["report", "none.json"])
        .assert()
        .code(2)
        .stderr(contains("none.json: cannot be read"));
}

#[test]
fn reports_can_be_compared_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let one = write_report(&folder, "1.json", &["good.jsonl"]);
    let two = write_report(&folder, "2.json", &["wrong-id.jsonl"]);
    let reports = [format!("sound={one}"), format!("broken={two}")];
    let (status, page, _) = outcome(conform(&["report", "side-by-side"]).args(&reports));
    assert_eq!(status, Some(0));
    assert!(
        page.contains("# sound, broken side by side\n\nThe results of each agent, judged by its dialect.\n\n| | sound | broken |\n"),
        "{page}"
    );
    assert!(!page.contains("]("), "links to files of others: {page}");
    let cause = page
        .lines()
        .find(|line| line.contains("aionrs/turn-envelope"));
    assert!(
        cause.is_some_and(|line| line.ends_with("|   | 1 |")),
        "{page}"
    );

    let html = folder.path().join("both.html");
    let target = format!("html={}", html.display());
    conform(&["report", "side-by-side", "--to", &target])
        .args(&reports)
        .assert()
        .code(0)
        .stdout("");
    let html = fs::read_to_string(html).unwrap();
    assert!(html.contains("<title>sound, broken side by side</title>"));
    conform(&["report", "side-by-side", "--to", "junit=-"])
        .args(&reports)
        .assert()
        .code(2)
        .stderr(contains(
            "'junit' shows one agent; html and markdown compare several",
        ));

    let missing = ["report", "side-by-side", "x=no/such.json"];
    let (status, _, stderr) = outcome(&mut conform(&missing));
    assert_eq!(status, Some(2));
    assert!(stderr.contains("no/such.json: cannot be read"), "{stderr}");
    let (status, ..) = outcome(&mut conform(&["report", "side-by-side", "no-name.json"]));
    assert_eq!(status, Some(2));
}
