//! TAP of hostile texts.

use crate::sample;
use conform_report::Report;

fn rendered(report: &Report) -> String {
    sample::rendered("tap", report)
}

#[test]
fn text_of_the_agent_is_neither_a_directive_nor_a_separate_line() {
    let mut report = sample::report();
    report.scenarios[1].id = "a # TODO\nok 99 - b".into();
    report.scenarios[1].findings[0].message = "...\nBail out!".into();
    let text = rendered(&report);
    assert!(text.contains("- a \\# TODO\\\\nok 99 - b\n"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("Bail out!")));
}
