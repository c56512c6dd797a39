//! Which dialect an agent speaks, what it lacks, and what it calls its tools: found out, said aloud, overruled.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::Place;
use conform::report::Verdict;
use std::os::unix::fs::PermissionsExt;

/// An agent that begins in silence and answers each prompt with a run of nothing.
const SILENT: &str = r#"
while read -r line; do
  case "$line" in
    *'"get_state"'*) STATE ;;
    *'"prompt"'*)
      echo '{"type":"agent_start"}'
      echo '{"type":"turn_start"}' ;;
  esac
done
"#;

/// How a newer version of another protocol says that it is up.
const NEWER: &str = r#"
echo '{"type":"ready","version":"0.2.10","session_id":"s1","capabilities":{"tool_approval":true,"image_input":"unknown","thinking":true,"effort":false,"effort_levels":[],"modes":["default","auto_edit","yolo"],"current_mode":"default","mcp":false}}'
"#;

/// A scenario for it.
const PROMPT: &str = "
name: one prompt
clauses: [pi.agent-start.begins]
steps:
  - send: { type: prompt, message: hi }
  - expect: { type: turn_start }
";

/// The same, with a command that not every agent has.
const BASH: &str = "
name: one command
clauses: [pi.bash.executes]
steps:
  - send_raw: '{\"type\":\"bash\",\"command\":\"true\"}'
  - expect: { type: bash_end }
";

fn silent(state: &str) -> String {
    SILENT.replace("STATE", state)
}

fn program(place: &Place, name: &str, text: &str) -> String {
    let path = place.file(name, &format!("#!/bin/sh\n{text}"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_silent_agent_is_asked() {
    let place = Place::new();
    let scenario = place.file("one.yaml", PROMPT);
    let script = place.file("agent.sh", &silent(":"));
    let ran = place.run(&["--scenarios", &scenario, "sh", &script]);
    assert!(
        ran.stderr.contains("the agent speaks pi@0.14: asked"),
        "{ran:?}"
    );
    assert_eq!(ran.only().id, "pi@0.14/one");
}

#[test]
fn a_program_is_known_by_its_help() {
    let place = Place::new();
    let scenario = place.file("one.yaml", TURN);
    let text = format!(
        "[ \"$1\" = --help ] && echo '  --json-stream  speak JSON' && exit\n{}",
        agent(&[READY, TURNS])
    );
    let program = program(&place, "clever", &text);
    let ran = place.run(&["--scenarios", &scenario, &program]);
    ran.ends_with(0, "its help names the options of that");
}

#[test]
fn an_agent_that_speaks_another_dialect_than_the_one_named_is_told_once() {
    let place = Place::new();
    let loud = place.file("loud.sh", &agent(&[READY, TURNS]));
    let args = ["--time-scale", "0.2", "--dialect", "pi@0.14", "sh", &loud];
    let ran = place.run(&args);
    ran.ends_with(
        2,
        "the agent speaks aionrs@0.1, not pi@0.14: its first line is",
    );
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr.matches("error").count(), 1, "{ran:?}");
}

#[test]
fn a_version_that_the_user_names_is_the_one_to_judge_by() {
    let place = Place::new();
    let scenario = place.file("one.yaml", PROMPT);
    let other = silent(r#"echo '{"type":"response","command":"get_state","id":"conform"}'"#);
    let other = place.file("other.sh", &other);
    let loud = agent(&[NEWER, TURNS]);
    let loud = place.file("loud.sh", &loud);
    let turn = place.file("turn.yaml", TURN);
    for (id, scenario, script, told) in [
        (
            "pi@0.14",
            &scenario,
            &other,
            "no agent of pi@0.14 writes this: asked",
        ),
        (
            "aionrs@0.1",
            &turn,
            &loud,
            "the agent seems to speak aionrs@0.2: its first line is",
        ),
    ] {
        for probe in [&[][..], &["--no-probe"]] {
            let args = [
                "--time-scale",
                "0.2",
                "--dialect",
                id,
                "--scenarios",
                scenario,
            ];
            let ran = place.run(&[&args[..], probe, &["sh", script]].concat());
            assert!(ran.only().id.starts_with(&format!("{id}/")), "{ran:?}");
            assert_eq!(ran.stderr.contains(told), probe.is_empty(), "{ran:?}");
        }
    }
}

/// An agent that answers `clear_queue` and `get_state` in this order, each so late, and knows `clear_queue` or not.
fn answering(order: [&str; 2], late: &str, knows: bool) -> String {
    let queue = format!(
        r#"{{"type":"response","command":"clear_queue","id":"conform-queue","success":{knows}}}"#
    );
    let state = r#"{"type":"response","command":"get_state","id":"conform","success":true,"data":{"steeringMode":"all"}}"#;
    let answers = order.map(|name| {
        if name == "clear_queue" {
            &queue[..]
        } else {
            state
        }
    });
    format!(
        r#"
while read -r line; do
  case "$line" in
    *'"prompt"'*)
      sleep {late}; echo '{0}'
      sleep {late}; echo '{1}'
      echo '{{"type":"agent_start"}}'
      echo '{{"type":"turn_start"}}' ;;
  esac
done
"#,
        answers[0], answers[1]
    )
}

#[test]
fn the_order_and_the_time_of_answers_decide_nothing() {
    let place = Place::new();
    let scenario = place.file("one.yaml", PROMPT);
    let orders = [["clear_queue", "get_state"], ["get_state", "clear_queue"]];
    for (knows, version) in [(true, "pi@0.87"), (false, "pi@0.73")] {
        for order in orders {
            let script = place.file("agent.sh", &answering(order, "0.15", knows));
            let play = [
                "--time-scale",
                "0.5",
                "--scenarios",
                &scenario,
                "sh",
                &script,
            ];
            let found = place.run(&play);
            assert_eq!(found.only().id, format!("{version}/one"), "{found:?}");
            let ran = place.run(&[&["--dialect", "pi@0.87"], &play[..]].concat());
            assert_eq!(ran.only().id, "pi@0.87/one", "{ran:?}");
            assert_eq!(ran.stderr.contains("seems to speak"), !knows, "{ran:?}");
        }
    }
}

#[test]
fn what_looks_like_an_agent_of_another_protocol_is_said() {
    let place = Place::new();
    let pi = program(&place, "pi", "echo hello; sleep 1000");
    let args = ["--time-scale", "0.1", "--dialect", "aionrs@0.1", &pi];
    place
        .run(&args)
        .ends_with(3, "it is called pi: it may speak pi@");
}

#[test]
fn what_a_version_lacks_is_skipped_with_the_reason() {
    let place = Place::new();
    place.file("suite/prompt.yaml", PROMPT);
    let suite = place.file("suite/bash.yaml", BASH);
    let suite = suite.strip_suffix("/bash.yaml").unwrap();
    let package = r#"{"name":"@mariozechner/pi-coding-agent","version":"0.13.2"}"#;
    place.file("bin/package.json", package);
    let old = program(&place, "bin/pi", &silent(":"));
    let ran = place.run(&["--dialect", "pi@0.14", "--scenarios", suite, &old]);
    let skipped = &ran.report.as_ref().unwrap().scenarios[0];
    assert_eq!(skipped.verdict, Verdict::Skipped, "{ran:?}");
    assert_eq!(
        skipped.reason,
        "the agent lacks bash: it is @mariozechner/pi-coding-agent 0.13.2, and that came with 0.14"
    );
}

#[test]
fn what_the_user_says_it_lacks_is_skipped_too() {
    let place = Place::new();
    let scenario = place.file("one.yaml", BASH);
    let script = place.file("agent.sh", &silent(":"));
    let dialect = ["--dialect", "pi@0.14", "--scenarios", &scenario];
    let run = |lacks: &str| {
        let agent = ["--lacks", lacks, "sh", &script];
        place.run(&[&dialect[..], &agent].concat())
    };
    run("bash").ends_with(3, "the agent lacks bash: you say so");
    run("bush").ends_with(2, "did you mean `bash`?");
}

#[test]
fn tools_are_called_as_the_project_says() {
    let place = Place::new();
    let call = "  - expect: { type: tool_request, tool: { name: Bash, args: { command: ls } } }\n";
    let end = "  - expect: { type: stream_end";
    place.file(
        "suite/turn.yaml",
        &TURN.replace(end, &format!("{call}{end}")),
    );
    let script = agent(&[READY, TURNS]).replace(
        "echo '{\"type\":\"stream_end\"",
        "echo '{\"type\":\"tool_request\",\"msg_id\":\"m1\",\"call_id\":\"c\",\"tool\":{\"name\":\"Run\",\"args\":{\"line\":\"ls\"}}}'\n      echo '{\"type\":\"stream_end\"",
    );
    let script = place.file("agent.sh", &script);
    let waits = |ran: &crate::harness::Ran| {
        let findings = &ran.only().findings;
        findings
            .iter()
            .any(|finding| finding.rule == "scenario.expect")
    };
    let suite = place.path("suite").display().to_string();
    let args = ["--time-scale", "0.05", "--dialect", "aionrs@0.1"];
    let args = [&args[..], &["--scenarios", &suite, "sh", &script]].concat();
    assert!(waits(&place.run(&args)));
    let tools = "tools: { Bash: { name: Run, args: { command: line } } }\n";
    place.file("conform.yaml", tools);
    assert!(!waits(&place.run(&args)));
}
