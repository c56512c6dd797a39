//! Scenarios with parts, in which only rules judge.

use crate::harness::TestDir;

/// The second part waits for an event that does not come, and one of its replies is left.
const SCENARIO: &str = r#"
name: two parts
rules_only: true
model:
  - text: one
  - text: two
  - when: { contains: first }
    text: never
  - text: three
steps:
  - part: { replies: 1 }
  - send: { type: message, msg_id: m1, input: first }
  - expect: { type: stream_end, msg_id: m1 }
  - part: { replies: 2 }
  - send: { type: message, msg_id: m2, input: second }
  - expect_text: { of: { type: text_delta, msg_id: m2 }, at: /text, is: something else, until: [{ type: stream_end, msg_id: m2 }] }
  - expect: { type: tool_request }
  - send: { type: message, msg_id: never, input: not sent }
  - part: { replies: 1 }
  - send: { type: message, msg_id: m3, input: third }
  - expect: { type: text_delta, text: three, msg_id: m3 }
  - expect: { type: stream_end, msg_id: m3 }
"#;

#[test]
fn a_step_that_waits_in_vain_is_no_finding_and_the_next_part_follows() {
    let dir = TestDir::new();
    std::fs::write(dir.path("parts.yaml"), SCENARIO).unwrap();
    let args = ["--dialect", "aionrs@0.1", "--scenarios", "parts.yaml"];
    let run = |agent: &[&str]| dir.run(&[&args[..], agent].concat());

    let passed = run(&[]);
    assert_eq!(passed.status, Some(0), "{passed:?}");

    let agent = env!("CARGO_BIN_EXE_mock-agent");
    let failed = run(&[agent, "--fault", "no-stream-end"]);
    assert_eq!(failed.status, Some(1), "{failed:?}");
    let findings = &failed.report.as_ref().unwrap().scenarios[0].findings;
    assert!(
        findings.iter().all(|one| one.rule.starts_with("aionrs/")),
        "{findings:?}"
    );
}

#[test]
fn the_model_knows_a_message_that_ends_with_stdin() {
    let dir = TestDir::new();
    let scenario = r#"
name: a torn message
model: [{ text: one }, { text: two }]
steps:
  - send: { type: message, msg_id: m1, input: first }
  - expect: { type: stream_end, msg_id: m1 }
  - send_bytes: ['{"type":"message","msg_id":"m2","input":"second"}']
  - close_stdin:
  - expect: { type: text_delta, text: two, msg_id: m2 }
"#;
    std::fs::write(dir.path("torn.yaml"), scenario).unwrap();
    let passed = dir.run(&["--dialect", "aionrs@0.1", "--scenarios", "torn.yaml"]);
    assert_eq!(passed.status, Some(0), "{passed:?}");
}
