//! The scripted model beside the agent: what is held against requests, and the model alone.

use crate::agents::TURN;
use crate::harness::{Place, finish, until};
use conform::verdict::Verdict;
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

#[test]
fn a_script_that_runs_dry_and_one_that_is_not_used_up_are_told() {
    let place = Place::new();
    let dry = bundled(&place, &turn("  - tool_calls: [{ id: t1, name: Glob, args: { pattern: \"*\" } }]\n").replace(
        "steps:",
        "answers: [{ on: { type: tool_request }, capture: { call: /call_id }, send: { type: tool_approve, call_id: \"{call}\", scope: once } }]\nsteps:",
    ));
    assert!(
        dry.message("scenario.script").contains("had no reply left"),
        "{dry:?}"
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
