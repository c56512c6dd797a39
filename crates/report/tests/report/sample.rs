//! A sample report with every verdict and every kind of finding: the snapshot of the JSON format.

use conform_report::Report;
use conform_report::reporter::find;

/// The output of a format for a report.
pub(crate) fn rendered(format: &str, report: &Report) -> String {
    let mut out = Vec::new();
    let format = find(format).expect("a format");
    (format.render)(report, &mut out).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

/// The report, its causes and counts derived again.
pub(crate) fn report() -> Report {
    let text = include_str!("snapshots/report.json");
    let mut report: Report = serde_json::from_str(text).expect("a report");
    let scenarios = report.scenarios.iter_mut();
    for finding in scenarios.flat_map(|one| one.all_findings_mut()) {
        finding.cause.clear();
        finding.follows_from = None;
    }
    (report.causes, report.without_result) = (Vec::new(), Vec::new());
    report.summarize();
    report
}
