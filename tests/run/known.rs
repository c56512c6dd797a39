//! Baselines and retries.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{Place, Ran};
use conform::verdict::Verdict;

/// An agent without an end of its turns; with a file `good` beside it, a right one.
const SOMETIMES: &str = r#"
while read -r line; do
  case "$line" in
    *'"message"'*)
      echo '{"type":"stream_start","msg_id":"m1"}'
      echo '{"type":"text_delta","msg_id":"m1","text":"hi"}'
      [ -e "$1" ] && echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}' ;;
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
