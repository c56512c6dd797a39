//! Annotations of GitHub, by the grammar of its runner.

use crate::sample;
use conform_judge::finding::{Baselined, BaselinedKind};
use conform_report::Report;
use regex::Regex;

/// How many annotations of one level GitHub shows.
const MOST: usize = 10;

fn rendered(report: &Report) -> String {
    sample::rendered("github", report)
}

/// What GitHub's runner reads from the output: the annotations, by its documented grammar.
fn annotations(output: &str) -> Vec<(String, String, String)> {
    let command = Regex::new(r"^::(error|warning|notice)(?: ([^:]*))?::(.*)$").unwrap();
    let other = Regex::new(r"^(::group::.*|::endgroup::|[^:].*|)$").unwrap();
    let decode = |text: &str| {
        let pairs = [("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r")];
        let text = pairs
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        text.replace("%25", "%")
    };
    let mut found = Vec::new();
    for line in output.lines() {
        let Some(parts) = command.captures(line) else {
            assert!(other.is_match(line), "no command and no text: {line}");
            continue;
        };
        let title = parts[2].strip_prefix("title=").unwrap();
        assert!(!title.contains(','), "a second property: {title}");
        found.push((parts[1].to_owned(), decode(title), decode(&parts[3])));
    }
    found
}

#[test]
fn what_the_baseline_knows_is_not_an_annotation() {
    let mut report = sample::report();
    for cause in &mut report.causes {
        cause.baseline = Some(Baselined {
            kind: BaselinedKind::Known,
            reason: "fixed in 1.4".into(),
        });
    }
    report.stale.clear();
    report.without_result.clear();
    assert_eq!(annotations(&rendered(&report)), []);
}

#[test]
fn text_of_the_agent_cannot_start_a_command() {
    let mut report = sample::report();
    let hostile = "50%, a: b\r\n::set-output name=x::y";
    for cause in &mut report.causes {
        cause.message = hostile.into();
        cause.rule = hostile.into();
        cause.rerun = hostile.into();
    }
    let output = rendered(&report);
    assert!(!output.lines().any(|line| line.starts_with("::set-output")));
    for (_, title, message) in annotations(&output) {
        assert!(!title.contains("::set-output") || title.contains("50%, a: b"));
        assert!(!message.contains("\n::"), "{message}");
    }
}

#[test]
fn beyond_the_limit_the_last_annotation_counts_the_rest() {
    let mut report = sample::report();
    let mut causes = report.causes.iter();
    let cause = causes.find(|cause| cause.baseline.is_none() && cause.blame == report.side);
    report.causes = vec![cause.unwrap().clone(); 13];
    report.stale.clear();
    report.without_result.clear();
    let output = rendered(&report);
    let found = annotations(&output);
    assert_eq!(found.len(), MOST);
    assert_eq!(found[MOST - 1].1, "4 more of this level");
    let group = output.split("::group::").nth(1).unwrap();
    assert_eq!(group.matches("\n- must demo.").count(), 4);
}
