//! The format of baseline files.

use conform_report::baseline::load;

#[test]
fn the_comment_at_the_top_is_kept() {
    let text = "# Ours.\n# Ask Jo.\ncauses: []\n# not this\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    assert_eq!(baseline.head, "# Ours.\n# Ask Jo.\n");
}

#[test]
fn mistakes_have_a_location() {
    let finding = |more: &str| format!("findings:\n  - {{ scenario: a, rule: r, {more} }}");
    let cause = |members: &str| format!("causes:\n  - {{ {members}, kind: known }}");
    for (text, line, part) in [
        (finding("kind: known, reason: \"\""), 2, "needs a `reason`"),
        (finding("kind: known"), 2, "reason"),
        (finding("kind: often, reason: x"), 2, "often"),
        (
            finding("kind: known, reason: x, expires: soon"),
            2,
            "a date such as",
        ),
        ("findingz: []".into(), 1, "findings"),
        ("{}".into(), 1, "a list `causes`"),
        (cause("cause: '', scenarios: ['*']"), 2, "the id of a cause"),
        (cause("cause: a-1, scenarios: []"), 2, "needs a scenario"),
        (
            cause("cause: a-1, situations: [x]"),
            2,
            "intermittent causes",
        ),
    ] {
        let errors = load("b.yaml".into(), &text).unwrap_err();
        assert_eq!(errors[0].span.line, line, "{text}");
        assert!(errors[0].message.contains(part), "{}", errors[0].message);
    }
}
