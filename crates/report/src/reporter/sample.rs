//! A sample report with every verdict and every kind of finding, for the tests of the formats: the snapshot of the JSON format.

use crate::Report;

/// What a format makes of a report.
pub(super) fn rendered(
    render: impl Fn(&Report, &mut dyn std::io::Write) -> std::io::Result<()>,
    report: &Report,
) -> String {
    let mut out = Vec::new();
    render(report, &mut out).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

/// The report, its causes and counts derived again.
pub(crate) fn report() -> Report {
    let text = include_str!("snapshots/report.json");
    let mut report: Report = serde_json::from_str(text).expect("a report");
    for finding in report
        .scenarios
        .iter_mut()
        .flat_map(|one| one.all_findings_mut())
    {
        finding.cause.clear();
        finding.follows_from = None;
    }
    (report.causes, report.without_result) = (Vec::new(), Vec::new());
    report.summarize();
    report
}
