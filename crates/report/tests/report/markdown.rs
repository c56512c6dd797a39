//! Markdown of hostile and of many texts.

use crate::sample;
use conform_report::Report;

#[test]
fn text_of_the_agent_is_escaped() {
    let mut report = sample::report();
    report.scenarios[0].id = "<script>|`*".into();
    report.scenarios[0].reason = "<b>".into();
    report.scenarios[0].findings.clear();
    let table = rendered(&report);
    assert!(
        table.contains(r"| &lt;script>\|\`\* | | | | &lt;b> |"),
        "{table}"
    );
}

fn rendered(report: &Report) -> String {
    sample::rendered("markdown", report)
}

#[test]
fn text_of_the_agent_cannot_end_the_block_around_it() {
    let hostile = "```` </details>\n```\n# heading\n::error::x $y$ & <b>";
    let mut report = sample::report();
    for cause in &mut report.causes {
        cause.message = hostile.into();
        for frame in &mut cause.example.frames {
            frame.text = hostile.into();
        }
    }
    let page = rendered(&report);
    assert!(page.contains("\n`````text\n"), "{page}");
    for line in page.lines() {
        assert!(!line.starts_with("# heading") && !line.starts_with("::error"));
        assert!(line == "</details>" || !line.starts_with("</details>"));
    }
    let summaries = page.lines().filter(|line| line.starts_with("<details>"));
    for summary in summaries {
        assert_eq!(summary.matches("</").count(), 1, "{summary}");
    }
}

#[test]
fn a_report_of_many_scenarios_fits_into_the_summary_of_a_job() {
    let mut report = sample::report();
    let mut one = report.scenarios[1].clone();
    for finding in &mut one.findings {
        finding.message = "`|".repeat(50_000);
    }
    report.scenarios = vec![one; 3000];
    let page = rendered(&report);
    assert!(page.len() < 500_000, "{}", page.len());
    assert!(page.contains("more are in the JSON report"), "{page}");
}
