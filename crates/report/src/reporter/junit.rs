//! The JUnit XML report: a test suite for the report, a test case for each scenario. The first finding is the failure message; the text
//! of the failure lists all findings.

use super::text;
use crate::Verdict;
use crate::{Report, ReportCommand, ScenarioReport};
use conform_judge::finding::{Finding, Level};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestRerun, TestSuite};
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
    suite.add_test_cases(report.stale.iter().map(|entry| stale(entry)));
    let mut document = quick_junit::Report::new("conform");
    document.set_time(Duration::from_millis(report.duration_ms));
    document.add_test_suite(suite);
    let xml = document.to_string().map_err(io::Error::other)?;
    out.write_all(xml.replace(NO_CHARACTERS, "\u{fffd}").as_bytes())
}

/// Characters that XML does not have, not even as references, and that the library writes.
const NO_CHARACTERS: [char; 2] = ['\u{fffe}', '\u{ffff}'];

/// The group of a test case: the dialect, and the folder of the scenario or the transcript.
fn class(report: &Report, scenario: &ScenarioReport) -> String {
    let path = match report.command {
        ReportCommand::Run => scenario.id.as_str(),
        ReportCommand::Check => scenario.transcript.as_str(),
    };
    let folder = path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder.trim_matches('/'));
    let dialect = match &report.dialect[..] {
        [only] if !folder.starts_with(only.as_str()) => only,
        _ if folder.is_empty() => "conform",
        _ => "",
    };
    let parts = [dialect, folder]
        .into_iter()
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("/")
}

fn case(report: &Report, scenario: &ScenarioReport) -> TestCase {
    let mut case = TestCase::new(scenario.id.as_str(), status(report, scenario));
    case.set_classname(class(report, scenario));
    case.set_time(Duration::from_millis(scenario.duration_ms));
    if !scenario.transcript.is_empty() {
        case.add_property(("transcript", scenario.transcript.as_str()));
    }
    let mut remarks: Vec<String> = [text::remarks(scenario)].into();
    remarks.push(findings(report, &scenario.findings, |finding| {
        !fails(finding)
    }));
    remarks.retain(|remark| !remark.is_empty());
    let remarks = remarks.join("\n\n");
    if !remarks.is_empty() {
        case.set_system_out(remarks);
    }
    if !scenario.stderr.is_empty() {
        case.set_system_err(scenario.stderr.join("\n"));
    }
    case
}

fn status(report: &Report, scenario: &ScenarioReport) -> TestCaseStatus {
    let reruns = scenario.tries.iter().map(|one| rerun(report, one));
    let mut status = match scenario.verdict {
        Verdict::Pass | Verdict::Warn => {
            let mut status = TestCaseStatus::success();
            status.add_reruns(reruns);
            return status;
        }
        Verdict::Skipped | Verdict::NotExercised => TestCaseStatus::skipped(),
        Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive | Verdict::Broken => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    status.add_reruns(reruns);
    let (message, kind) = why(report, scenario);
    status.set_message(message);
    status.set_type(kind);
    let failures = findings(report, &scenario.findings, fails);
    if !failures.is_empty() {
        status.set_description(failures);
    }
    status
}

/// An earlier try: a flaky failure if the last try passes, otherwise a failed rerun.
fn rerun(report: &Report, one: &ScenarioReport) -> TestRerun {
    let mut rerun = TestRerun::new(match one.verdict {
        Verdict::Fail => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    });
    rerun.set_time(Duration::from_millis(one.duration_ms));
    let (message, kind) = why(report, one);
    rerun.set_message(message);
    rerun.set_type(kind);
    rerun.set_description(findings(report, &one.findings, |_| true));
    if !one.stderr.is_empty() {
        rerun.set_system_err(one.stderr.join("\n"));
    }
    rerun
}

/// Why a scenario did not pass, and the rule or the verdict.
fn why<'a>(report: &Report, scenario: &'a ScenarioReport) -> (&'a str, &'a str) {
    match worst(report, &scenario.findings) {
        Some(finding) if scenario.reason.is_empty() => (&finding.message, &finding.rule),
        _ => (&scenario.reason, text::verdict(scenario.verdict)),
    }
}

/// A stale baseline entry, as a test case of its own because it belongs to no scenario.
fn stale(entry: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(entry);
    status.set_type("stale");
    let place = entry.split(": ").next().unwrap_or(entry);
    let mut case = TestCase::new(format!("baseline {place}"), status);
    case.set_classname("baseline");
    case
}

/// Whether a finding can fail a test case.
fn fails(finding: &Finding) -> bool {
    finding.level == Level::Must && finding.baseline.is_none()
}

fn worst<'a>(report: &Report, findings: &'a [Finding]) -> Option<&'a Finding> {
    let counts = |finding: &&Finding| fails(finding) && finding.blame == report.side;
    let first = findings.iter().find(counts)?;
    // A step that failed only because of another finding is less informative than that one.
    let is_origin = |finding: &&Finding| !finding.is_echo() && finding.cause == first.cause;
    Some(findings.iter().find(is_origin).unwrap_or(first))
}

fn findings(
    report: &Report,
    findings: &[Finding],
    is_included: impl Fn(&Finding) -> bool,
) -> String {
    let blocks = findings
        .iter()
        .filter(|finding| is_included(finding) && !finding.is_echo())
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
    let echoes = findings
        .iter()
        .filter(|finding| is_included(finding) && finding.is_echo())
        .map(|finding| {
            let message = text::visible(&finding.message);
            let (rule, frame) = (&finding.rule, finding.at);
            format!(
                "  follows from {}: {rule} at frame {frame}: {message}",
                finding.cause
            )
        });
    let blocks: Vec<_> = blocks.chain(echoes).collect();
    blocks.join("\n\n")
}
