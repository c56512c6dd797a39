//! Runs that end early: a failed smoke scenario, a limit of failures, and only what failed last time.

use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;

/// Plays some scenarios of the first dialect with the mock agent, which has a fault or none.
fn run(dir: &TestDir, fault: &str, more: &[&str]) -> RunResult {
    let fault = format!("MOCK_AGENT_FAULT={fault}");
    let args = [
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--env",
        &fault,
        "--only",
        "aionrs@0.1/turn/plain",
        "--only",
        "turn/usage-of-several-requests",
        "--only",
        "turn/usage-of-two-turns",
    ];
    dir.run(&[&args, more, &[env!("CARGO_BIN_EXE_mock-agent")]].concat())
}

/// The short ids of the scenarios with this verdict.
fn ids(result: &RunResult, verdict: Verdict) -> Vec<&str> {
    let entries = result.report.as_ref().unwrap().scenarios.iter();
    let ids = entries.filter(|entry| entry.verdict == verdict);
    ids.map(|entry| entry.id.rsplit('/').next().unwrap())
        .collect()
}

#[test]
fn a_failed_smoke_scenario_skips_the_others() {
    let dir = TestDir::new();
    let result = run(&dir, "log-line-on-stdout", &[]);
    result.assert_exit(1, "2 scenarios: smoke failed");
    result.assert_exit(1, "`--keep-going` plays them");
    assert_eq!(ids(&result, Verdict::Fail), ["plain"]);
    let skipped = ["usage-of-several-requests", "usage-of-two-turns"];
    assert_eq!(ids(&result, Verdict::Skipped), skipped);
    let lines = result.all_output().lines().count();
    assert!(lines < 100, "{result:?}");
}

#[test]
fn keep_going_plays_all_scenarios() {
    let dir = TestDir::new();
    let result = run(&dir, "log-line-on-stdout", &["--keep-going"]);
    result.assert_exit(1, "3 scenarios: 3 failed");
}

#[test]
fn a_smoke_scenario_whose_findings_the_baseline_knows_skips_nothing() {
    let dir = TestDir::new();
    let baseline = dir.path("baseline.yaml");
    let baseline = ["--baseline", baseline.to_str().unwrap()];
    let updated = run(
        &dir,
        "log-line-on-stdout",
        &[&baseline[..], &["--update-baseline"]].concat(),
    );
    assert_eq!(
        ids(&updated, Verdict::Skipped),
        Vec::<&str>::new(),
        "{updated:?}"
    );
    run(&dir, "log-line-on-stdout", &baseline).assert_exit(0, "3 scenarios: 3 passed");
}

#[test]
fn a_run_stops_after_the_allowed_number_of_failures() {
    let dir = TestDir::new();
    for (option, failed) in [(&["--fail-fast"][..], 1), (&["--max-fail", "2"], 2)] {
        let result = run(
            &dir,
            "log-line-on-stdout",
            &[&["--keep-going", "-j", "1"], option].concat(),
        );
        result.assert_exit(1, "too many scenarios failed before");
        assert_eq!(ids(&result, Verdict::Fail).len(), failed, "{result:?}");
        assert_eq!(
            ids(&result, Verdict::Skipped).len(),
            3 - failed,
            "{result:?}"
        );
    }
}

#[test]
fn only_what_failed_last_time_is_played_again() {
    let dir = TestDir::new();
    let nothing = run(&dir, "", &["--failed"]);
    nothing.assert_exit(0, "3 scenarios: 3 passed");
    assert!(
        nothing
            .stderr
            .contains("no scenario failed in the last run"),
        "{nothing:?}"
    );
    run(&dir, "log-line-on-stdout@turn=2", &[]).assert_exit(1, "1 failed");
    let again = run(&dir, "", &["--failed"]);
    again.assert_exit(0, "1 scenario: 1 passed");
    run(&dir, "", &["--failed"]).assert_exit(0, "3 scenarios: 3 passed");
}

#[test]
fn the_last_line_names_the_folder_of_the_transcripts() {
    let dir = TestDir::new();
    let result = run(&dir, "log-line-on-stdout", &[]);
    let last = result.stdout.lines().last().unwrap();
    let folder = last.trim_start().strip_prefix("Transcripts ").unwrap();
    let left: Vec<_> = std::fs::read_dir(dir.path("tmp"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].path().to_str().unwrap(), folder);
    assert!(left[0].path().join("aionrs@0.1/turn/plain.jsonl").exists());
    let passed = run(&dir, "", &["-j", "1"]);
    assert!(!passed.stdout.contains("Transcripts"), "{passed:?}");
}

#[test]
fn a_folder_for_transcripts_that_cannot_be_made_is_an_error_before_the_run() {
    let dir = TestDir::new();
    let file = dir.file("file", "");
    let result = dir.run(&["--transcripts", &format!("{file}/below"), "true"]);
    result.assert_exit(2, "/file/below: cannot write there: ");
    assert_eq!(result.stderr.lines().count(), 1, "{result:?}");
}
