//! Baselines and retries.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{Place, Ran, finish};
use conform::report::Verdict;

/// An agent whose turns fail; with a file `good` beside it, a right one.
const SOMETIMES: &str = r#"
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

fn run(place: &Place, more: &[&str]) -> Ran {
    let short = "budgets: { response: 500ms, idle: 500ms }\n";
    let scenario = place.file("one.yaml", &format!("{}{short}", TURN.trim_start()));
    let script = place.file("agent.sh", &agent(&[READY, SOMETIMES]));
    let good = place.path("good").display().to_string();
    let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
    place.run(&[&dialect[..], more, &["sh", &script, &good]].concat())
}

#[test]
fn a_baseline_is_one_command_away_and_is_held_to_account() {
    let place = Place::new();
    let file = place.path("known.yaml").display().to_string();
    run(&place, &["--baseline", &file])
        .ends_with(2, "there is no such baseline; --update-baseline writes one");
    assert_eq!(run(&place, &[]).status, Some(1));

    let updated = run(&place, &["--baseline", &file, "--update-baseline"]);
    updated.ends_with(0, "known.yaml written: ");
    let known = run(&place, &["--baseline", &file]);
    assert_eq!(known.status, Some(0), "{known:?}");
    assert!(known.report.as_ref().unwrap().summary.known > 0);
    assert!(
        known.stdout.contains("scenario.expect"),
        "still shown: {known:?}"
    );

    place.file("good", "");
    run(&place, &["--baseline", &file]).ends_with(1, "known.yaml:4: delete this entry");
    run(&place, &["--baseline", &file, "--update-baseline"]).ends_with(0, "0 in all");
}

/// The file of a baseline with one entry about the turn that does not end.
fn entry(place: &Place, more: &str) -> String {
    let entry = format!(
        "findings:\n  - {{ scenario: '*/one', rule: scenario.expect, reason: fixed next year, {more} }}\n"
    );
    place.file("known.yaml", &entry)
}

#[test]
fn what_a_known_finding_is_known_for_is_told_in_every_format() {
    let place = Place::new();
    let file = entry(&place, "kind: known");
    let junit = place.path("junit.xml");
    let target = format!("junit={}", junit.display());
    let ran = run(&place, &["--baseline", &file, "--report", &target]);
    ran.ends_with(0, "known: fixed next year");
    assert!(ran.stdout.contains("(1 known finding)"), "{ran:?}");
    let mut findings = ran.only().findings.iter();
    let known = findings.find(|finding| finding.rule == "scenario.expect");
    let mark = known.unwrap().baseline.as_ref().unwrap();
    assert_eq!(mark.reason, "fixed next year");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("failures=\"0\""), "{junit}");
    assert!(junit.contains("known: fixed next year"), "{junit}");
}

#[test]
fn an_entry_past_its_day_fails_and_covers_nothing() {
    let place = Place::new();
    let file = entry(&place, "kind: known, expires: 2020-01-31");
    let ran = run(&place, &["--baseline", &file]);
    ran.ends_with(
        1,
        "known.yaml:2: delete this entry (scenario.expect in */one): it expired on 2020-01-31",
    );
    assert_eq!(ran.only().verdict, Verdict::Fail);
    let later = entry(&place, "kind: known, expires: 9999-12-31");
    assert_eq!(run(&place, &["--baseline", &later]).status, Some(0));
}

#[test]
fn what_is_known_to_come_and_go_is_flaky_and_may_stay_away() {
    let place = Place::new();
    let file = entry(&place, "kind: flaky");
    let ran = run(&place, &["--baseline", &file]);
    ran.ends_with(0, "FLAKY");
    let summary = &ran.report.as_ref().unwrap().summary;
    assert_eq!((summary.passed, summary.flaky), (0, 1));
    place.file("good", "");
    run(&place, &["--baseline", &file]).ends_with(0, "1 passed");
}

#[test]
fn another_finding_is_not_excused() {
    let place = Place::new();
    let text = "findings:\n  - { scenario: aionrs@0.1/one, rule: scenario.expect_exit, kind: flaky, reason: x }\n";
    let file = place.file("known.yaml", text);
    run(&place, &["--baseline", &file]).ends_with(1, "1 failed");
}

#[test]
fn mistakes_in_a_baseline_are_told_at_their_place_before_anything_is_played() {
    let place = Place::new();
    for (more, at, why) in [
        ("kind: often", "known.yaml:2:", "often"),
        (
            "kind: known, expires: soon",
            "known.yaml:2:",
            "a day such as",
        ),
        ("kind: known, until: x", "known.yaml:2:", "until"),
    ] {
        let ran = run(&place, &["--baseline", &entry(&place, more)]);
        ran.ends_with(2, why);
        assert!(ran.stderr.contains(at) && ran.report.is_none(), "{ran:?}");
    }
    let text = "findings:\n  - { scenario: a, rule: b, kind: known, reason: '' }\n";
    let file = place.file("known.yaml", text);
    run(&place, &["--baseline", &file]).ends_with(2, "an entry needs a `reason`");
    run(&place, &["--update-baseline"]).ends_with(2, "--baseline <FILE>");
}

#[test]
fn a_scenario_that_never_passes_has_all_its_tries_in_the_report() {
    let place = Place::new();
    let junit = place.path("junit.xml");
    let target = format!("junit={}", junit.display());
    let ran = run(&place, &["--retries", "2", "--report", &target]);
    ran.ends_with(1, "(in the last of 3 tries)");
    assert_eq!(ran.only().tries.len(), 2, "{ran:?}");
    let places = ran.only().tries.iter().map(|one| one.transcript.as_str());
    for transcript in places.chain([ran.only().transcript.as_str()]) {
        assert!(std::path::Path::new(transcript).exists(), "{transcript}");
    }
    let junit = std::fs::read_to_string(junit).unwrap();
    assert_eq!(junit.matches("<rerunFailure").count(), 2, "{junit}");
}

#[test]
fn recorded_sessions_have_baselines_too() {
    let place = Place::new();
    let ready =
        "{\"type\":\"ready\",\"version\":\"0.1.0\",\"session_id\":\"s\",\"capabilities\":{}}\n";
    let bad = place.file("session", &ready.repeat(2));
    let file = place.path("known.yaml").display().to_string();
    let check = |path: &str, more: &[&str]| {
        let mut command = place.command("check");
        command.args(["--dialect", "aionrs", "--baseline", &file, path]);
        let output = finish(command.args(more).spawn().unwrap());
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    assert_eq!(check(&bad, &[]).0, Some(2));
    assert_eq!(check(&bad, &["--update-baseline"]).0, Some(0));
    let (status, said) = check(&bad, &[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("known: "), "{said}");
    place.file("session", ready);
    let (status, said) = check(&bad, &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("delete this entry (aionrs/ready-once in session)"),
        "{said}"
    );
}

#[test]
fn a_scenario_that_passes_in_the_end_is_flaky_and_no_silent_pass() {
    let place = Place::new();
    let scenario = place.file(
        "one.yaml",
        &format!(
            "{}budgets: {{ response: 500ms, idle: 500ms }}\n",
            TURN.trim_start()
        ),
    );
    let count = place.path("count").display().to_string();
    // It is started once to be listened to, and then in vain.
    let second = "[ $(wc -l <\"$1\") -eq 2 ] && cat >/dev/null\n";
    let script = place.file(
        "agent.sh",
        &agent(&["echo >>\"$1\"\n", READY, second, TURNS]),
    );
    let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
    let ran = place.run(&[&dialect[..], &["--retries", "2", "sh", &script, &count]].concat());
    ran.ends_with(0, "(failed before, passed in try 2)");
    assert_eq!(ran.only().verdict, Verdict::Pass);
    assert!(ran.only().flaky);
    assert_eq!(ran.report.as_ref().unwrap().summary.flaky, 1);
    let first = &ran.only().tries[0];
    assert_eq!(first.verdict, Verdict::Fail);
    assert!(
        first.findings.iter().any(|f| f.rule == "scenario.expect"),
        "{ran:?}"
    );
}

#[test]
fn a_warning_fails_where_warnings_are_denied_unless_it_is_known() {
    let place = Place::new();
    let turn = TURN.replace("aionrs.stream-end.closes-turn", "aionrs.input.long-lines");
    let scenario = format!("{}level: should\n", turn.trim_start());
    let scenario = place.file(
        "one.yaml",
        &format!("{scenario}budgets: {{ idle: 500ms }}\n"),
    );
    let script = place.file("agent.sh", &agent(&[READY, SOMETIMES]));
    let run = |more: &[&str]| {
        let dialect = ["--dialect", "aionrs", "--scenarios", &scenario];
        place.run(&[&dialect[..], more, &["sh", &script, "none"]].concat())
    };
    run(&[]).ends_with(0, "1 warned");
    run(&["--deny-warnings"]).ends_with(1, "1 warned");
    let known = place.path("known.yaml").display().to_string();
    run(&["--baseline", &known, "--update-baseline"]).ends_with(0, "known.yaml written");
    let denied = run(&["--baseline", &known, "--deny-warnings", "--retries", "1"]);
    denied.ends_with(0, "1 passed");
    assert!(
        denied.only().tries.is_empty(),
        "nothing was new: {denied:?}"
    );
}
