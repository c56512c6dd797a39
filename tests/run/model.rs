//! The scripted model beside the agent: what is held against requests, and the model alone.

use crate::agents::TURN;
use crate::harness::{Place, finish, until};
use conform::report::Verdict;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};

/// `conform run` with the bundled agent and one scenario.
fn bundled(place: &Place, scenario: &str) -> crate::harness::Ran {
    let scenario = place.file("one.yaml", scenario);
    place.run(&[
        "--dialect",
        "aionrs@0.1",
        "--scenarios",
        &scenario,
        "--time-scale",
        "0.5",
    ])
}

fn turn(model: &str) -> String {
    TURN.replace("steps:", &format!("model:\n{model}steps:"))
}

#[test]
fn a_request_is_held_against_what_the_script_expects() {
    let place = Place::new();
    let right = bundled(
        &place,
        &turn("  - expect_request: { contains: hi }\n    text: ho\n"),
    );
    assert_eq!(right.only().verdict, Verdict::Pass, "{right:?}");
    let wrong = bundled(
        &place,
        &turn("  - expect_request: { contains: never said }\n    text: ho\n"),
    );
    assert_eq!(wrong.rules(), ["scenario.request"], "{wrong:?}");
    assert_eq!(wrong.status, Some(1));
}

/// A scenario of two turns, each with one answer of the model.
const TWO_TURNS: &str = "
name: two turns
clauses: [aionrs.stream-end.closes-turn]
model:
  - tool_calls: [{ id: t1, name: Glob, args: { pattern: \"*\" } }]
  - expect_request: { tool_result: { call: t1 } }
    text: one
  - text: two
answers: [{ on: { type: tool_request }, capture: { call: /call_id }, send: { type: tool_approve, call_id: \"{call}\", scope: once } }]
steps:
  - expect: { type: ready }
  - send: { type: message, msg_id: m1, input: first }
  - expect_text: { of: { type: text_delta, msg_id: m1 }, at: /text, is: one, until: [{ type: stream_end, msg_id: m1 }] }
  - send: { type: message, msg_id: m2, input: second }
  - expect_text: { of: { type: text_delta, msg_id: m2 }, at: /text, is: two, until: [{ type: stream_end, msg_id: m2 }] }
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// `conform run` with the bundled agent, which does something besides, and one scenario.
fn bundled_with(place: &Place, fault: &str, scenario: &str) -> crate::harness::Ran {
    let scenario = place.file("one.yaml", scenario);
    let fault = format!("MOCK_AGENT_FAULT={fault}");
    let dialect = ["--dialect", "aionrs@0.1", "--scenarios", &scenario];
    place.run(&[&dialect[..], &["--env", &fault]].concat())
}

#[test]
fn a_title_or_a_summary_that_the_agent_asks_for_accuses_nobody() {
    let place = Place::new();
    for fault in ["asks-for-a-title", "asks-for-a-summary"] {
        let ran = bundled_with(&place, fault, TWO_TURNS);
        assert_eq!(ran.rules(), [] as [&str; 0], "{ran:?}");
        assert_eq!(ran.only().verdict, Verdict::Inconclusive, "{ran:?}");
        let reason = &ran.only().reason;
        assert!(
            reason.starts_with("request ") && reason.ends_with("is not judged"),
            "{reason}"
        );
        assert_eq!(ran.status, Some(3), "{ran:?}");
    }
}

#[test]
fn a_request_that_repeats_an_answered_one_is_a_violation() {
    let place = Place::new();
    let ran = bundled_with(&place, "asks-twice", TWO_TURNS);
    assert!(
        ran.message("scenario.script").contains("repeats request"),
        "{ran:?}"
    );
    assert_eq!(ran.only().verdict, Verdict::Fail);
    assert_eq!(ran.status, Some(1));
}

#[test]
fn what_was_found_before_an_unforeseen_request_stands() {
    let place = Place::new();
    let wrong = TWO_TURNS.replace("call: t1 } }", "call: t1, contains: no such thing } }");
    let ran = bundled(&place, &wrong.replace("  - text: two\n", ""));
    assert_eq!(ran.rules(), ["scenario.request"], "{ran:?}");
    assert_eq!(ran.only().verdict, Verdict::Fail);
}

#[test]
fn a_script_that_is_too_short_or_too_long_is_told() {
    let place = Place::new();
    let short = bundled(&place, &TWO_TURNS.replace("  - text: two\n", ""));
    assert_eq!(short.only().verdict, Verdict::Inconclusive, "{short:?}");
    assert!(
        short.only().reason.contains("had no reply left (2 in all)"),
        "{short:?}"
    );
    let unused = bundled(&place, &turn("  - text: one\n  - text: two\n"));
    assert!(
        unused
            .message("scenario.script")
            .contains("was not asked for"),
        "{unused:?}"
    );
    assert_eq!(unused.only().verdict, Verdict::Warn);
}

#[test]
fn a_demand_that_no_request_met_is_no_pass() {
    let place = Place::new();
    let ran = bundled(
        &place,
        &turn("  - text: one\n  - expect_request: { contains: x }\n    text: two\n"),
    );
    assert_eq!(ran.rules(), ["scenario.request"], "{ran:?}");
    assert_eq!(ran.only().verdict, Verdict::Fail);
}

#[test]
fn the_model_alone_prints_its_address_and_its_journal() {
    let place = Place::new();
    let script = place.file("script.yaml", "- text: [Hello, \" from {workspace}\"]\n");
    let mut child = place
        .command("provider")
        .args(["--script", &script])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let url = lines.next().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let agent = place
        .command("agent")
        .args([
            "--json-stream",
            "--provider",
            "anthropic",
            "--base-url",
            &url,
            "--model",
            "m",
        ])
        .env("ANTHROPIC_API_KEY", "k")
        .env("HOME", place.path("tmp"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    agent
        .stdin
        .as_ref()
        .unwrap()
        .write_all(b"{\"type\":\"message\",\"msg_id\":\"m1\",\"input\":\"hi\"}\n")
        .unwrap();
    let request: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(
        (&request["dir"], &request["path"]),
        (&"llm_request".into(), &"/v1/messages".into())
    );
    let reply: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(
        (&reply["dir"], &reply["end"]),
        (&"llm_reply".into(), &"complete".into())
    );
    let output = finish(agent);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains(&format!(
            " from {}",
            place.path("").display().to_string().trim_end_matches('/')
        )),
        "{said}"
    );
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(finish(child).status.code(), Some(0));
}

#[test]
fn the_model_alone_tells_what_is_wrong_with_its_script() {
    let place = Place::new();
    for (text, why) in [
        ("- txt: Hi\n", "did you mean `text`?"),
        ("name: x\n", "a map without `model`"),
        ("- text: \"{call}\"\n", "nothing is known"),
    ] {
        let script = place.file("script.yaml", text);
        let output = finish(
            place
                .command("provider")
                .args(["--script", &script])
                .spawn()
                .unwrap(),
        );
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(why) && said.contains("script.yaml:1"),
            "{said}"
        );
    }
    until("nothing", || true);
}
