//! Five usual defects of agents: the first line of what is wrong names the cause. And waits that end early find the same as patient ones.

use crate::agents::{READY, agent};
use crate::harness::{RunResult, TestDir, finish, is_namespace_allowed};
use conform_judge::finding::{Expected, Finding};
use conform_report::Verdict;

const PLAIN_TURN: &str = include_str!("../../scenarios/aionrs/0.1/turn/plain.yaml");
const STOP: &str = include_str!("../../scenarios/aionrs/0.1/stop/while-streaming.yaml");
const BAD_INPUT: &str = include_str!("../../scenarios/aionrs/0.1/invalid/malformed-json.yaml");
const APPROVAL: &str = include_str!("../../scenarios/aionrs/0.1/approval/once-then-runs.yaml");

/// Plays a scenario with the mock agent, which has a fault. The budget is that of a wait.
fn run(dir: &TestDir, scenario: &str, fault: &str, budget: &str, more: &[&str]) -> RunResult {
    let budgets =
        format!("budgets: {{ response: {budget}, idle: {budget}, total: 300s, exit: {budget} }}\n");
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

#[test]
fn a_stop_that_leaves_the_tool_running_is_reported_next_to_the_first_finding() {
    const TOOL: &str = include_str!("../../scenarios/aionrs/0.1/stop/tool-does-not-finish.yaml");
    let dir = TestDir::new();
    let result = run(&dir, TOOL, "stop-keeps-tool,stop-without-end", "8s", &[]);
    result.assert_exit(1, "");
    assert_eq!(
        result.rules(),
        ["aionrs/stop-ends-turn", "scenario.files_after"],
        "{result:?}"
    );
}

#[test]
fn the_first_line_names_the_cause_of_five_usual_defects() {
    for (scenario, fault, cause) in [
        (
            PLAIN_TURN,
            "no-stream-end",
            "the session ended before `stream_end` ",
        ),
        (PLAIN_TURN, "log-line-on-stdout", "the line is not JSON"),
        (
            STOP,
            "ignores-stop",
            "the turn was stopped and got no `stream_end`",
        ),
        (
            BAD_INPUT,
            "bad-command-exits",
            "the agent ended by itself in the middle of the session (exited with code 0)",
        ),
    ] {
        let dir = TestDir::new();
        let result = run(&dir, scenario, fault, "4s", &[]);
        result.assert_exit(1, "");
        assert_first_cause(&result, cause);
    }
    let dir = TestDir::new();
    let wrong_id = r#"read -r line
echo '{"type":"stream_start","msg_id":"m1"}'
echo '{"type":"stream_end","msg_id":"m0","usage":{"input_tokens":0,"output_tokens":0}}'
cat >/dev/null
"#;
    let result = dir.run_scenario(PLAIN_TURN, &agent(&[READY, wrong_id]));
    assert_first_cause(&result, "`stream_end` is the first event of msg_id m0");
}

#[test]
fn a_value_of_a_programming_language_in_the_last_event_is_one_cause() {
    let dir = TestDir::new();
    let nan = r#"read -r line
echo '{"type":"stream_start","msg_id":"m1"}'
echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":NaN}}'
cat >/dev/null
"#;
    let result = dir.run_scenario(PLAIN_TURN, &agent(&[READY, nan]));
    assert_first_cause(&result, "the line is not JSON: `NaN` is not a JSON value");
    let causes = result.report.unwrap().causes;
    let rules: Vec<_> = causes.iter().map(|cause| cause.rule.as_str()).collect();
    assert_eq!(rules, ["aionrs/json-lines", "scenario.never_asked"]);
}

/// On the terminal, and as the first cause of the HTML page.
#[track_caller]
fn assert_first_cause(result: &RunResult, cause: &str) {
    let (_, first) = result.stdout.split_once("CAUSE 1 of ").unwrap();
    let (_, first) = first.split_once(' ').unwrap();
    assert!(first.starts_with(cause), "{result:?}");
    let mut page = Vec::new();
    let format = conform_report::reporter::find("html").unwrap();
    (format.render)(result.report.as_ref().unwrap(), &mut page).unwrap();
    let page = String::from_utf8(page).unwrap().replace("&#x2f;", "/");
    let list = page.split_once("<li>").unwrap().1;
    let first = list.split_once(": ").unwrap().1;
    assert!(first.starts_with(cause), "{first:.300}");
}

/// The agent answers prompts from its own head. What its scenarios then miss is one cause, and its broken frames are another one.
#[test]
fn an_agent_that_never_asks_its_model_has_one_cause_for_that() {
    let dir = TestDir::new();
    let canned = r#"read -r line
echo '{"type":"stream_start","msg_id":"m1"}'
echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":0}}'
cat >/dev/null
"#;
    let result = dir.run_scenario(APPROVAL, &agent(&[READY, canned]));
    let report = result.report.as_ref().unwrap();
    let rules: Vec<_> = report
        .causes
        .iter()
        .map(|one| (one.rule.as_str(), one.echoes))
        .collect();
    let (asked, usage) = (("scenario.never_asked", 1), ("aionrs/schema/stream_end", 0));
    assert_eq!(rules, [usage, asked], "{result:?}");
    let expected = report.causes[1].example.expected[0].to_string();
    assert!(expected.contains("`--base-url {llm_url}`"), "{expected}");
    let scenario = dir.file("hidden.yaml", APPROVAL);
    let canned = dir.file("canned.sh", &agent(&[READY, canned]));
    let mut own = dir.command("run");
    let args = [
        "--no-probe",
        "--env",
        "OWN_URL={llm_url}/v1",
        "--dialect",
        "aionrs@0.1",
        "--scenarios",
        &scenario,
    ];
    let own = finish(own.args(args).args(["bash", &canned]).spawn().unwrap());
    let told = String::from_utf8(own.stdout).unwrap();
    assert!(told.contains("in the variable `OWN_URL`"), "{told}");
    for (network, is_hidden) in [("deny", is_namespace_allowed()), ("proxy", false)] {
        let args = [
            "--dialect",
            "aionrs@0.1",
            "--no-probe",
            "--network",
            network,
        ];
        let more = ["--scenarios", &scenario, "bash", &canned];
        let report = dir.run(&[&args[..], &more].concat()).report.unwrap();
        let expected = report.causes[1].example.expected[0].to_string();
        let hint = "if one does the work, use `--network proxy`";
        assert_eq!(expected.contains(hint), is_hidden, "{expected}");
    }
}

/// The budget of the wait is 10 s.
#[test]
fn the_smoke_scenario_gives_up_an_idle_agent_before_its_budget() {
    let dir = TestDir::new();
    let silent = dir.file("agent.sh", &agent(&[READY, "cat >/dev/null"]));
    let smoke = [
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--only",
        "aionrs@0.1/turn/plain",
    ];
    let result = dir.run(&[&smoke[..], &["sh", &silent]].concat());
    let message = result.message("scenario.expect");
    assert!(
        message.contains("did nothing for 4 s (`smoke` budget)"),
        "{message}"
    );
    assert_first_cause(&result, "the message m1 had no `stream_start`");
}

#[test]
fn a_step_says_which_command_got_no_answer() {
    let dir = TestDir::new();
    let result = run(&dir, STOP, "ignores-stop", "4s", &[]);
    assert_eq!(
        result.message("scenario.expect"),
        "`stream_end` did not come within 4 s (`response` budget); the agent wrote nothing after the host sent `stop`"
    );
    let result = run(&dir, PLAIN_TURN, "no-stream-end", "4s", &[]);
    let message = result.message("scenario.expect");
    assert!(
        message.starts_with("`stream_end` did not come "),
        "{message}"
    );
    assert!(message.ends_with("received: text_delta"), "{message}");
}

/// What a finding says, without the numbers of frames and the lengths of timeouts.
fn said(finding: &Finding) -> (String, String, Vec<String>, Vec<Expected>) {
    let message = finding.message.split(|c: char| c.is_ascii_digit());
    let message: Vec<_> = message.filter(|part| !part.is_empty()).collect();
    let message = message.join("#");
    let Finding {
        rule,
        clauses,
        expected,
        ..
    } = finding.clone();
    (rule, message, clauses, expected)
}

/// The fault leaves `tool_result` out, so the last step waits for nothing. It begins to wait in the middle of the turn, in which the agent
/// is silent and asleep for longer than the settle budget: while the tool runs, and while the model takes its time.
const DROPPED_RESULT: &str = "
name: the result of a tool comes
clauses: [aionrs.tool-result.completes]
model:
  - tool_calls: [{ id: t1, name: Bash, args: { command: sleep 1.5 } }]
  - delay: 1500ms
    text: done
steps:
  - send: { type: message, msg_id: m1, input: hi }
  - expect: { type: tool_request, msg_id: m1 }
    capture: { call: /call_id }
  - send: { type: tool_approve, call_id: '{call}', scope: once }
  - expect: { type: tool_running, msg_id: m1 }
  - expect: { type: tool_result, msg_id: m1 }
";

#[test]
fn a_wait_that_ends_early_finds_the_same_as_a_patient_one() {
    let play = |budget: &str, more: &[&str]| {
        run(
            &TestDir::new(),
            DROPPED_RESULT,
            "no-tool-result",
            budget,
            more,
        )
    };
    let (early, patient) = std::thread::scope(|scope| {
        let early = scope.spawn(|| play("100s", &[]));
        // Longer than any pause of a busy machine between two lines of the agent.
        let patient = scope.spawn(|| play("15s", &["--no-settle"]));
        (early.join().unwrap(), patient.join().unwrap())
    });
    let findings = |result: &RunResult| {
        let findings = &result.only_scenario().findings;
        findings.iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(findings(&early), findings(&patient));
    let message = early.message("scenario.expect");
    assert!(
        message.ends_with("and the agent has nothing left to do; received: text_delta, stream_end"),
        "{message}"
    );
    // Each wait ended as it should: one before its budget ran out, one after that.
    assert!(early.only_scenario().duration_ms < 100_000, "{early:?}");
    assert!(patient.only_scenario().duration_ms > 15_000, "{patient:?}");
}

#[test]
fn an_agent_that_is_slow_at_work_gets_its_whole_budget() {
    let dir = TestDir::new();
    for slow in ["MOCK_AGENT_LATENCY_MS=1500", "MOCK_AGENT_LATENCY_MS=150"] {
        let result = run(&dir, PLAIN_TURN, "", "10s", &["--env", slow]);
        assert_eq!(result.only_scenario().verdict, Verdict::Pass, "{result:?}");
    }
}
