//! Baselines and retries.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{RunResult, TestDir, finish};
use conform_report::Verdict;

/// Budgets of a scenario that waits in vain.
const SHORT: &str = "budgets: { response: 500ms, idle: 500ms }\n";

/// An agent whose turns fail, unless the file in its first argument exists.
const FAILING_TURNS: &str = r#"
while read -r line; do
  case "$line" in
    *'"message"'*)
      echo '{"type":"stream_start","msg_id":"m1"}'
      echo '{"type":"text_delta","msg_id":"m1","text":"hi"}'
      if [ -e "$1" ]; then
        echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}'
      else
        echo '{"type":"error","msg_id":"m1","error":{"code":"internal_error","message":"no","retryable":false}}'
      fi ;;
  esac
done
"#;

fn run(dir: &TestDir, more: &[&str]) -> RunResult {
    let scenario = dir.file("one.yaml", &format!("{}{SHORT}", TURN.trim_start()));
    let script = dir.file("agent.sh", &agent(&[READY, FAILING_TURNS]));
    let good = dir.path("good").display().to_string();
    let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
    dir.run(&[&dialect[..], more, &["sh", &script, &good]].concat())
}

#[test]
fn a_baseline_is_written_by_one_command_and_stale_entries_fail() {
    let dir = TestDir::new();
    let file = dir.path("known.yaml").display().to_string();
    run(&dir, &["--baseline", &file]).assert_exit(
        2,
        "the baseline does not exist; --update-baseline writes one",
    );
    assert_eq!(run(&dir, &[]).status, Some(1));

    let updated = run(&dir, &["--baseline", &file, "--update-baseline"]);
    updated.assert_exit(0, "known.yaml written: ");
    assert!(updated.stderr.contains("came: "), "{updated:?}");
    let known = run(&dir, &["--baseline", &file]);
    assert_eq!(known.status, Some(0), "{known:?}");
    assert!(known.report.as_ref().unwrap().summary.known > 0);
    assert!(known.stdout.contains("KNOWN"), "still shown: {known:?}");

    dir.file("good", "");
    run(&dir, &["--baseline", &file]).assert_exit(1, "known.yaml:4: delete this entry");
    let updated = run(&dir, &["--baseline", &file, "--update-baseline"]);
    updated.assert_exit(0, "0 in all");
    assert!(updated.stderr.contains("went: "), "{updated:?}");
}

#[test]
fn a_cause_that_the_next_try_does_not_have_is_written_as_flaky_in_its_situation() {
    let dir = TestDir::new();
    let file = dir.path("known.yaml").display().to_string();
    let good = FAILING_TURNS.replace(
        "        echo '{\"type\":\"error",
        "        : >\"$1\"\n        echo '{\"type\":\"error",
    );
    let scenario = dir.file("one.yaml", &format!("{}{SHORT}", TURN.trim_start()));
    let script = dir.file("agent.sh", &agent(&[READY, &good]));
    let seen = dir.path("good").display().to_string();
    let options = [
        "--dialect",
        "aionrs",
        "--scenarios",
        &scenario,
        "--baseline",
        &file,
    ];
    let agent = ["sh", &script, &seen];
    let updated = dir.run(&[&options[..], &["--update-baseline"], &agent].concat());
    updated.assert_exit(0, "known.yaml written: ");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(
        written.contains("situations: [\"message at rest\"]\n    kind: flaky"),
        "{written}"
    );
    dir.run(&[&options[..], &agent].concat())
        .assert_exit(0, "1 passed");

    // Another scenario comes into the same situation, and a third into another one.
    for (steps, status, text) in [
        (TURN.to_owned(), 0, "FLAKY"),
        (
            TURN.replace(
                "  - send",
                "  - send: { type: set_mode, mode: yolo }\n  - send",
            ),
            0,
            "FLAKY",
        ),
        (
            TURN.replace(
                "  - expect: { type: stream_end",
                "  - send: { type: stop }\n  - expect: { type: stream_end",
            ),
            1,
            "1 failed",
        ),
    ] {
        let other = dir.file("other.yaml", &format!("{}{SHORT}", steps.trim_start()));
        let mut options = options;
        options[3] = &other;
        let agent = ["sh", &script, "none"];
        dir.run(&[&options[..], &agent].concat())
            .assert_exit(status, text);
    }
}

/// Writes a baseline with one entry, for the turn that does not end.
fn write_baseline(dir: &TestDir, more: &str) -> String {
    let entry = format!(
        "findings:\n  - {{ scenario: '*/one', rule: scenario.expect, reason: fixed next year, {more} }}\n"
    );
    dir.file("known.yaml", &entry)
}

#[test]
fn the_reason_of_a_known_finding_is_in_every_report_format() {
    let dir = TestDir::new();
    let file = write_baseline(&dir, "kind: known");
    let junit = dir.path("junit.xml");
    let target = format!("junit={}", junit.display());
    let result = run(&dir, &["--baseline", &file, "--report", &target]);
    result.assert_exit(0, "(one): fixed next year");
    assert!(result.stdout.contains("(1 known finding)"), "{result:?}");
    let mut findings = result.only_scenario().findings.iter();
    let known = findings.find(|finding| finding.rule == "scenario.expect");
    let mark = known.unwrap().baseline.as_ref().unwrap();
    assert_eq!(mark.reason, "fixed next year");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("failures=\"0\""), "{junit}");
    assert!(junit.contains("known: fixed next year"), "{junit}");
}

#[test]
fn an_expired_entry_fails_and_covers_nothing() {
    let dir = TestDir::new();
    let file = write_baseline(&dir, "kind: known, expires: 2020-01-31");
    let result = run(&dir, &["--baseline", &file]);
    result.assert_exit(
        1,
        "known.yaml:2: delete this entry (scenario.expect in */one): it expired on 2020-01-31",
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Fail);
    let later = write_baseline(&dir, "kind: known, expires: 9999-12-31");
    assert_eq!(run(&dir, &["--baseline", &later]).status, Some(0));
}

#[test]
fn a_flaky_finding_may_be_missing() {
    let dir = TestDir::new();
    let file = write_baseline(&dir, "kind: flaky");
    let result = run(&dir, &["--baseline", &file]);
    result.assert_exit(0, "FLAKY");
    let summary = &result.report.as_ref().unwrap().summary;
    assert_eq!((summary.passed, summary.flaky), (0, 1));
    dir.file("good", "");
    run(&dir, &["--baseline", &file]).assert_exit(0, "1 passed");
}

#[test]
fn a_finding_without_an_entry_fails() {
    let dir = TestDir::new();
    let text = "findings:\n  - { scenario: aionrs@0.1/one, rule: scenario.expect_exit, kind: flaky, reason: x }\n";
    let file = dir.file("known.yaml", text);
    run(&dir, &["--baseline", &file]).assert_exit(1, "1 failed");
}

#[test]
fn mistakes_in_a_baseline_are_reported_with_their_location_before_the_run() {
    let dir = TestDir::new();
    for (more, at, why) in [
        ("kind: often", "known.yaml:2:", "often"),
        (
            "kind: known, expires: soon",
            "known.yaml:2:",
            "expected a date such as",
        ),
        ("kind: known, until: x", "known.yaml:2:", "until"),
    ] {
        let result = run(&dir, &["--baseline", &write_baseline(&dir, more)]);
        result.assert_exit(2, why);
        assert!(
            result.stderr.contains(at) && result.report.is_none(),
            "{result:?}"
        );
    }
    let text = "findings:\n  - { scenario: a, rule: b, kind: known, reason: '' }\n";
    let file = dir.file("known.yaml", text);
    run(&dir, &["--baseline", &file]).assert_exit(2, "an entry needs a `reason`");
    run(&dir, &["--update-baseline"]).assert_exit(2, "--baseline <FILE>");
}

#[test]
fn a_scenario_that_never_passes_has_all_attempts_in_the_report() {
    let dir = TestDir::new();
    let junit = dir.path("junit.xml");
    let target = format!("junit={}", junit.display());
    let result = run(&dir, &["--retries", "2", "--report", &target]);
    result.assert_exit(1, "(in the last of 3 tries)");
    assert_eq!(result.only_scenario().tries.len(), 2, "{result:?}");
    let places = result
        .only_scenario()
        .tries
        .iter()
        .map(|one| one.transcript.as_str());
    for transcript in places.chain([result.only_scenario().transcript.as_str()]) {
        assert!(std::path::Path::new(transcript).exists(), "{transcript}");
    }
    let junit = std::fs::read_to_string(junit).unwrap();
    assert_eq!(junit.matches("<rerunFailure").count(), 2, "{junit}");
}

#[test]
fn check_supports_baselines_too() {
    let dir = TestDir::new();
    let ready =
        "{\"type\":\"ready\",\"version\":\"0.1.0\",\"session_id\":\"s\",\"capabilities\":{}}\n";
    let bad = dir.file("session", &ready.repeat(2));
    let file = dir.path("known.yaml").display().to_string();
    let check = |path: &str, more: &[&str]| {
        let mut command = dir.command("check");
        command.args(["--dialect", "aionrs", "--baseline", &file, path]);
        let output = finish(command.args(more).spawn().unwrap());
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    assert_eq!(check(&bad, &[]).0, Some(2));
    assert_eq!(check(&bad, &["--update-baseline"]).0, Some(0));
    let (status, output) = check(&bad, &[]);
    assert_eq!(status, Some(0), "{output}");
    assert!(
        output.contains("KNOWN aionrs/ready-once") && output.contains("without a reason"),
        "{output}"
    );
    dir.file("session", ready);
    let (status, output) = check(&bad, &[]);
    assert_eq!(status, Some(1), "{output}");
    assert!(
        output.contains("delete this entry (ready-once-"),
        "{output}"
    );
}

#[test]
fn a_scenario_that_passes_in_a_retry_is_reported_as_flaky() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", &format!("{}{SHORT}", TURN.trim_start()));
    let count = dir.path("count").display().to_string();
    // The first start is for detection, the second one fails.
    let second = "[ $(wc -l <\"$1\") -eq 2 ] && cat >/dev/null\n";
    let script = dir.file(
        "agent.sh",
        &agent(&["echo >>\"$1\"\n", READY, second, TURNS]),
    );
    let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
    let result = dir.run(&[&dialect[..], &["--retries", "2", "sh", &script, &count]].concat());
    result.assert_exit(0, "(failed before, passed in try 2)");
    assert_eq!(result.only_scenario().verdict, Verdict::Pass);
    assert!(result.only_scenario().flaky);
    assert_eq!(result.report.as_ref().unwrap().summary.flaky, 1);
    let first = &result.only_scenario().tries[0];
    assert_eq!(first.verdict, Verdict::Fail);
    assert!(
        first.findings.iter().any(|f| f.rule == "scenario.expect"),
        "{result:?}"
    );
}

#[test]
fn deny_warnings_fails_for_a_warning_that_is_not_in_the_baseline() {
    let dir = TestDir::new();
    let turn = TURN.replace("aionrs.stream-end.closes-turn", "aionrs.input.long-lines");
    let scenario = format!("{}level: should\n", turn.trim_start());
    let scenario = dir.file("one.yaml", &format!("{scenario}{SHORT}"));
    let script = dir.file("agent.sh", &agent(&[READY, FAILING_TURNS]));
    let run = |more: &[&str]| {
        let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
        dir.run(&[&dialect[..], more, &["sh", &script, "none"]].concat())
    };
    run(&[]).assert_exit(0, "1 warned");
    run(&["--deny-warnings"]).assert_exit(1, "1 warned");
    let known = dir.path("known.yaml").display().to_string();
    run(&["--baseline", &known, "--update-baseline"]).assert_exit(0, "known.yaml written");
    let denied = run(&["--baseline", &known, "--deny-warnings", "--retries", "1"]);
    denied.assert_exit(0, "1 passed");
    assert!(
        denied.only_scenario().tries.is_empty(),
        "nothing was new: {denied:?}"
    );
}
