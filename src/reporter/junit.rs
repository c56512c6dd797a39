//! JUnit XML: a suite a report, a case a scenario. The first finding names the failure, its text lists them all.

use super::text;
use crate::finding::{Finding, Level};
use crate::report::{Report, ScenarioReport};
use crate::verdict::Verdict;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};
use std::time::Duration;

pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut suite = TestSuite::new(if report.dialect.is_empty() {
        "conform".to_owned()
    } else {
        report.dialect.join(", ")
    });
    suite.set_time(Duration::from_millis(report.duration_ms));
    suite.add_test_cases(
        report
            .scenarios
            .iter()
            .map(|scenario| case(report, scenario)),
    );
    let mut document = quick_junit::Report::new("conform");
    document.set_time(Duration::from_millis(report.duration_ms));
    document.add_test_suite(suite);
    document.serialize(out).map_err(io::Error::other)
}

fn case(report: &Report, scenario: &ScenarioReport) -> TestCase {
    let mut case = TestCase::new(scenario.id.as_str(), status(report, scenario));
    case.set_time(Duration::from_millis(scenario.duration_ms));
    if !scenario.transcript.is_empty() {
        case.add_property(("transcript", scenario.transcript.as_str()));
    }
    let remarks = findings(report, scenario, |finding| finding.level < Level::Must);
    if !remarks.is_empty() {
        case.set_system_out(remarks);
    }
    if !scenario.stderr.is_empty() {
        case.set_system_err(scenario.stderr.join("\n"));
    }
    case
}

fn status(report: &Report, scenario: &ScenarioReport) -> TestCaseStatus {
    let mut status = match scenario.verdict {
        Verdict::Pass | Verdict::Warn => return TestCaseStatus::success(),
        Verdict::Skipped | Verdict::NotExercised => TestCaseStatus::skipped(),
        Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive | Verdict::Broken => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    let worst = scenario
        .findings
        .iter()
        .find(|finding| finding.level == Level::Must && finding.blame == report.side);
    match worst {
        Some(finding) if scenario.reason.is_empty() => {
            status.set_message(finding.message.as_str());
            status.set_type(finding.rule.as_str());
        }
        _ => {
            status.set_message(scenario.reason.as_str());
            status.set_type(text::verdict(scenario.verdict));
        }
    }
    let failures = findings(report, scenario, |finding| finding.level == Level::Must);
    if !failures.is_empty() {
        status.set_description(failures);
    }
    status
}

fn findings(
    report: &Report,
    scenario: &ScenarioReport,
    wanted: impl Fn(&Finding) -> bool,
) -> String {
    let blocks = scenario
        .findings
        .iter()
        .filter(|finding| wanted(finding))
        .map(|finding| {
            let mut block = Vec::new();
            // Writing to memory does not fail.
            let _ = super::terminal::finding_block(
                report,
                finding,
                &mut anstream::StripStream::new(&mut block),
            );
            String::from_utf8_lossy(&block)
                .trim_matches('\n')
                .to_owned()
        });
    blocks.collect::<Vec<_>>().join("\n\n")
}
