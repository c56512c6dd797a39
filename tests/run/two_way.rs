//! Protocols in which both sides ask: an agent that asks back, against scenarios that name messages by what they are.

use crate::harness::{RunResult, TestDir};
use conform_judge::finding::Blame;
use conform_report::Verdict;
use std::path::Path;

/// Runs the agent of tests/two-way with a scenario of these steps and other keys.
fn play(dir: &TestDir, scenario: &str) -> RunResult {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way");
    let (dialects, agent) = (folder.join("dialects"), folder.join("agent.py"));
    let scenario = dir.file(
        "scenarios/one.yaml",
        &format!("name: x\nclauses: [duo.once]\n{}", scenario.trim_start()),
    );
    let transcripts = dir.path("transcripts");
    dir.run(&[
        "--dialect",
        "duo@1",
        "--dialect-dir",
        dialects.to_str().unwrap(),
        "--scenarios",
        &scenario,
        "--transcripts",
        transcripts.to_str().unwrap(),
        "python3",
        agent.to_str().unwrap(),
    ])
}

fn verdict(scenario: &str) -> (Verdict, RunResult) {
    let result = play(&TestDir::new(), scenario);
    let report = result.report.as_ref();
    assert!(report.is_some(), "{}{}", result.stdout, result.stderr);
    (result.only_scenario().verdict, result)
}

fn passes(scenario: &str) {
    let (verdict, result) = verdict(scenario);
    assert_eq!(verdict, Verdict::Pass, "{}", result.stdout);
    assert!(result.only_scenario().findings.is_empty());
}

/// The error about a scenario that cannot be played.
fn error(scenario: &str) -> String {
    let result = play(&TestDir::new(), scenario);
    assert_eq!(result.status, Some(2), "{}", result.stdout);
    result.stderr
}

const HELLO: &str = "
  - send: { message: hello, params: {} }
  - expect: { message: hello.result, result: { protocol: duo } }";

#[test]
fn steps_name_messages_and_responses_of_both_sides() {
    passes(&format!(
        "
steps:{HELLO}
  - send: {{ message: ask, params: {{}} }}
  - expect: {{ message: note, params: {{ kind: word, text: thinking }} }}
  - expect: {{ message: confirm }}
    capture: {{ yes: /params/options/1/id }}
  - send: {{ message: confirm.result, result: {{ choice: \"{{yes}}\" }} }}
  - expect: {{ message: ask.result, result: {{ answer: q7 }} }}
  - send: {{ message: stop }}
  - expect: {{ message: note, params: {{ text: stopped }} }}
  - close_stdin:
  - expect_exit: {{ code: 0 }}"
    ));
}

#[test]
fn a_response_is_waited_for_and_not_the_request_of_the_agent_with_the_same_id() {
    // The agent's first request has the id 1, too.
    passes(
        "
steps:
  - send: { message: ask, id: 1, params: {} }
  - expect: { message: confirm, id: 1 }
  - send: { message: confirm.result, id: 1, result: { choice: q7 } }
  - expect: { message: ask.result, id: 1 }
  - send: { message: ask, id: \"1\", params: {} }
  - expect: { message: confirm, id: 2 }
  - send: { message: confirm.error, error: { code: 1, message: no } }
  - expect: { message: ask.result, id: \"1\", result: { answer: none } }",
    );
}

#[test]
fn each_of_several_open_requests_gets_its_own_answer() {
    passes(
        "
steps:
  - send: { message: ask, params: { text: twice } }
  - expect: { message: confirm, id: 1 }
  - expect: { message: confirm, id: 2 }
  - send: { message: confirm.result, result: { choice: a } }
  - send: { message: confirm.result, result: { choice: b } }
  - expect: { message: ask.result, result: { answer: b } }",
    );
    passes(
        "
answers:
  - on: { message: confirm }
    send: { message: confirm.result, result: { choice: q7 } }
steps:
  - send: { message: ask, params: { text: twice } }
  - send: { message: ask, params: {} }
  - expect: { message: ask.result, id: 1 }
  - expect: { message: ask.result, id: 2, result: { answer: q7 } }",
    );
}

#[test]
fn bad_lines_and_unknown_methods_are_answered() {
    passes(
        "
steps:
  - send_raw: 'not JSON'
  - expect: { message: \"#answer\", error: { code: -32700 } }
  - send_raw: '{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_sing\"}'
  - expect: { message: \"#unknown.error\", id: 7, error: { code: -32601 } }",
    );
}

const SHORT: &str = "budgets: { response: 500ms, idle: 500ms, exit: 2s }";

#[test]
fn a_request_of_the_agent_that_the_scenario_leaves_open_does_not_fail_the_agent() {
    let (verdict, result) = verdict(&format!(
        "
{SHORT}
steps:
  - send: {{ message: ask, params: {{}} }}
  - expect: {{ message: ask.result }}"
    ));
    assert_eq!(verdict, Verdict::Inconclusive, "{}", result.stdout);
    assert_eq!(result.status, Some(3));
    let findings = &result.only_scenario().findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].blame, Blame::Host);
    let message = &findings[0].message;
    assert!(
        message.contains("left `confirm` of frame 3 open"),
        "{message}"
    );
}

#[test]
fn an_agent_that_answers_nothing_is_to_blame() {
    let (verdict, result) = verdict(&format!(
        "
{SHORT}
steps:
  - send: {{ message: ask, params: {{ text: silence }} }}
  - expect: {{ message: ask.result }}"
    ));
    assert_eq!(verdict, Verdict::Fail, "{}", result.stdout);
    let findings = &result.only_scenario().findings;
    let rules: Vec<_> = findings.iter().map(|one| one.rule.as_str()).collect();
    assert!(rules.contains(&"duo/json-rpc/left-open"), "{rules:?}");
    assert!(findings.iter().all(|one| one.blame == Blame::Agent));
    let causes = &result.report.as_ref().unwrap().causes;
    assert_eq!(causes.len(), 1, "the step only follows from the rule");
}

#[test]
fn an_agent_that_leaves_with_an_open_request_is_to_blame_and_one_that_is_sent_away_is_not() {
    let (verdict, result) = verdict(
        "
steps:
  - send: { message: ask, params: { text: leave } }
  - expect: { message: note }
  - expect_exit: { code: 0 }",
    );
    assert_eq!(verdict, Verdict::Fail, "{}", result.stdout);
    let found = result.message("duo/json-rpc/left-open");
    assert!(found.contains("ended by itself, and `ask`"), "{found}");

    for steps in [
        "  - expect: { message: note }",
        "  - expect: { message: confirm }\n  - close_stdin:\n  - expect_exit: { code: 0 }",
    ] {
        passes(&format!(
            "steps:\n  - send: {{ message: ask, params: {{}} }}\n{steps}"
        ));
    }
}

#[test]
fn what_is_recorded_is_judged_the_same_for_both_sides() {
    let dir = TestDir::new();
    let result = play(
        &dir,
        "
steps:
  - send: { message: ask, params: {} }
  - expect: { message: confirm }
  - send_raw: '{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"choice\":\"q7\"}}'
  - expect: { message: note }",
    );
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Pass,
        "{}",
        result.stdout
    );
    let folder = dir.path("transcripts/duo@1");
    let transcript = std::fs::read_dir(folder).unwrap().next().unwrap();
    let transcript = transcript.unwrap().path();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way/dialects");
    for (side, status) in [("agent", 0), ("host", 1)] {
        let mut check = dir.command("check");
        check.arg("--dialect-dir").arg(&folder);
        let output = check
            .args(["--side", side])
            .arg(&transcript)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{shown}");
        assert!(shown.contains("duo/json-rpc/id-type"), "{shown}");
    }
}

#[test]
fn an_agent_of_the_protocol_is_detected_by_its_probe() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way");
    let dir = TestDir::new();
    let scenario = dir.file(
        "scenarios/one.yaml",
        &format!("name: x\nclauses: [duo.once]\nsteps:{HELLO}"),
    );
    let result = dir.run(&[
        "--dialect-dir",
        folder.join("dialects").to_str().unwrap(),
        "--dialect",
        "duo",
        "--scenarios",
        &scenario,
        "python3",
        folder.join("agent.py").to_str().unwrap(),
    ]);
    assert_eq!(result.status, Some(0), "{}{}", result.stdout, result.stderr);
}

#[test]
fn a_step_that_names_no_message_is_told_what_to_write() {
    for (step, advice) in [
        (
            "expect: { method: note }",
            "write `message: note` in place of `method: note`",
        ),
        (
            "expect: { id: 1 }",
            "write `message: NAME`, such as `message: ask.result`",
        ),
        (
            "send: { method: ask, params: {} }",
            "write `message: ask` in place of `method: ask`",
        ),
        (
            "expect: { message: ask.results }",
            "unknown event `ask.results`; did you mean `ask.result`?",
        ),
        (
            "send: { message: ask.result, result: {} }",
            "unknown command `ask.result`",
        ),
        (
            "send: { message: confirm.result, result: {} }",
            "`choice` is missing",
        ),
        ("send: { message: ask }", "`params` is missing"),
    ] {
        let shown = error(&format!(
            "steps:\n  - {step}\n  - expect: {{ message: hello.result }}"
        ));
        assert!(shown.contains(advice), "{step}: {shown}");
        assert!(shown.contains("one.yaml:4"), "{step}: {shown}");
    }
}

#[test]
fn a_response_without_a_request_is_a_mistake_of_the_scenario() {
    let (verdict, result) = verdict(
        "steps:\n  - send: { message: confirm.result, result: { choice: q7 } }\n  - expect: { message: note }",
    );
    assert_eq!(verdict, Verdict::Broken, "{}", result.stdout);
    let why = &result.only_scenario().reason;
    assert!(
        why.contains("no `confirm` of the agent is open: expect it before"),
        "{why}"
    );
}

#[test]
fn a_baseline_knows_the_cause_of_a_rule_that_comes_with_the_protocol() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way");
    let dir = TestDir::new();
    let scenario = dir.file(
        "scenarios/leave.yaml",
        "name: x\nclauses: [duo.once]\nsteps:\n  - send: { message: ask, params: { text: leave } }\n  - expect: { message: note }\n  - expect_exit: { code: 0 }\n",
    );
    let paths = [
        folder.join("dialects"),
        folder.join("agent.py"),
        dir.path("known.yaml"),
    ];
    let [dialects, agent, known] = paths.each_ref().map(|path| path.to_str().unwrap());
    let run = |more: &[&str]| {
        let dialect = ["--dialect", "duo@1", "--dialect-dir", dialects];
        let files = ["--scenarios", &scenario, "--baseline", known];
        dir.run(&[&dialect[..], &files, more, &["python3", agent]].concat())
    };
    run(&["--update-baseline"]).assert_exit(0, "1 of 1 entry without a reason");
    run(&[]).assert_exit(0, "KNOWN duo/json-rpc/left-open");
    let text = std::fs::read_to_string(dir.path("known.yaml")).unwrap();
    assert!(text.contains("cause: \"json-rpc-left-open-"), "{text}");
}
