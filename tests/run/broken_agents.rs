//! Five usual defects of agents: the first line of what is wrong names the cause. And waits that end early find the same as patient ones.

use crate::harness::{RunResult, TestDir};
use conform::finding::Finding;
use conform::report::Verdict;

const PLAIN_TURN: &str = include_str!("../../scenarios/aionrs/0.1/turn/plain.yaml");
const STOP: &str = include_str!("../../scenarios/aionrs/0.1/stop/while-streaming.yaml");
const BAD_INPUT: &str = include_str!("../../scenarios/aionrs/0.1/invalid/malformed-json.yaml");
const APPROVAL: &str = include_str!("../../scenarios/aionrs/0.1/approval/once-then-runs.yaml");

/// Plays a scenario with the mock agent, which has a fault. The budget is that of a wait.
fn run(dir: &TestDir, scenario: &str, fault: &str, budget: &str, more: &[&str]) -> RunResult {
    let budgets = format!("budgets: {{ response: {budget}, idle: {budget}, total: 110s }}\n");
    let scenario = dir.file("scenarios/one.yaml", &format!("{scenario}{budgets}"));
    let fault = format!("MOCK_AGENT_FAULT={fault}");
    let agent = env!("CARGO_BIN_EXE_mock-agent");
    let args = [
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--scenarios",
        &scenario,
        "--env",
        &fault,
    ];
    dir.run(&[&args[..], more, &[agent]].concat())
}

/// The message of the first finding.
fn first(result: &RunResult) -> &str {
    assert_eq!(result.status, Some(1), "{result:?}");
    &result.only_scenario().findings[0].message
}

#[test]
fn the_first_line_names_the_cause_of_five_usual_defects() {
    for (scenario, fault, cause) in [
        (PLAIN_TURN, "no-stream-end", "`stream_end` did not come "),
        (PLAIN_TURN, "log-line-on-stdout", "the line is not JSON"),
        (
            STOP,
            "ignores-stop",
            "`stream_end` did not come within 4 s (`response` budget); nothing came after the host's `stop`",
        ),
        (
            BAD_INPUT,
            "bad-command-exits",
            "the agent ended by itself in the middle of the session (exited, code 0)",
        ),
    ] {
        let dir = TestDir::new();
        let result = run(&dir, scenario, fault, "4s", &[]);
        assert!(first(&result).starts_with(cause), "{fault}: {result:?}");
        let report = result.report.as_ref().unwrap();
        assert!(
            report.causes[0].message.starts_with(cause),
            "{fault}: {:?}",
            report.causes
        );
    }
    let dir = TestDir::new();
    let wrong_id = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/broken-agent");
    let args = [
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--only",
        "aionrs@0.1/turn/plain",
        wrong_id,
    ];
    let result = dir.run(&args);
    assert!(
        first(&result).starts_with("`stream_end` came "),
        "{result:?}"
    );
}

/// What a finding says, without the numbers of frames, which differ by lines of stderr.
fn said(finding: &Finding) -> (String, String, Vec<String>, Vec<String>) {
    let message = finding.message.replace(|c: char| c.is_ascii_digit(), "#");
    let Finding {
        rule,
        clauses,
        expected,
        ..
    } = finding.clone();
    (rule, message, clauses, expected)
}

/// The fault leaves an event out whose turn goes on to its end, so the step that waits for the event waits for nothing.
#[test]
fn a_wait_that_ends_early_finds_the_same_as_a_patient_one() {
    let dir = TestDir::new();
    let early = run(&dir, APPROVAL, "no-tool-result", "100s", &[]);
    let patient = run(&dir, APPROVAL, "no-tool-result", "3s", &["--no-settle"]);
    let findings = |result: &RunResult| {
        let findings = &result.only_scenario().findings;
        findings.iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(findings(&early), findings(&patient));
    assert!(first(&early).contains("nothing more can come"), "{early:?}");
    // The scenario was over before the budget of the wait was.
    assert!(early.only_scenario().duration_ms < 100_000, "{early:?}");
}

#[test]
fn an_agent_that_is_slow_at_work_gets_its_whole_budget() {
    let dir = TestDir::new();
    for slow in ["MOCK_AGENT_LATENCY_MS=1500", "MOCK_AGENT_LATENCY_MS=150"] {
        let result = run(&dir, PLAIN_TURN, "", "10s", &["--env", slow]);
        assert_eq!(result.only_scenario().verdict, Verdict::Pass, "{result:?}");
    }
}
