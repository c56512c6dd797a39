//! Detection of the dialect, missing features and tool names of an agent.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::TestDir;
use conform_report::Verdict;
use std::os::unix::fs::PermissionsExt;

/// An agent that starts silently and answers each prompt with an empty run.
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

/// The `ready` event of aionrs@0.2.
const READY_0_2: &str = r#"
echo '{"type":"ready","version":"0.2.10","session_id":"s1","capabilities":{"tool_approval":true,"image_input":"unknown","thinking":true,"effort":false,"effort_levels":[],"modes":["default","auto_edit","yolo"],"current_mode":"default","mcp":false}}'
"#;

/// A scenario for the silent agent.
const PROMPT: &str = "
name: one prompt
clauses: [pi.agent-start.begins]
steps:
  - send: { type: prompt, message: hi }
  - expect: { type: turn_start }
";

/// A scenario with a command that older versions do not have.
const BASH: &str = "
name: one command
clauses: [pi.bash.executes]
steps:
  - send_raw: '{\"type\":\"bash\",\"command\":\"true\"}'
  - expect: { type: bash_end }
";

fn silent_agent(state: &str) -> String {
    SILENT.replace("STATE", state)
}

fn program(dir: &TestDir, name: &str, text: &str) -> String {
    let path = dir.file(name, &format!("#!/bin/sh\n{text}"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_silent_agent_is_probed() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", PROMPT);
    let script = dir.file("agent.sh", &silent_agent(":"));
    let result = dir.run(&["--scenarios", &scenario, "sh", &script]);
    assert!(
        result
            .stderr
            .contains("the agent speaks pi@0.14: when it was sent"),
        "{result:?}"
    );
    assert_eq!(result.only_scenario().id, "pi@0.14/one");
}

#[test]
fn an_incomplete_ready_event_shows_the_dialect_that_it_belongs_to() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let ready = |event: &str| format!("echo '{event}'\n{TURNS}");
    let script = dir.file("agent.sh", &ready(r#"{"type":"ready","version":"0.1.0"}"#));
    let result = dir.run(&["--scenarios", &scenario, "sh", &script]);
    result.assert_exit(1, "the agent speaks aionrs@0.1: its first line is");
    assert!(
        result.stdout.contains("`capabilities` is missing")
            || result.stdout.contains("and `session_id` are missing"),
        "{result:?}"
    );

    // This could be any protocol, and this is another one.
    for event in [
        r#"{"type":"ready"}"#,
        r#"{"type":"ready","version":"0.1.0","name":"x"}"#,
    ] {
        let script = dir.file("other.sh", &format!("echo '{event}'"));
        let result = dir.run(&["--scenarios", &scenario, "sh", &script]);
        result.assert_exit(2, "cannot detect the agent's protocol");
    }
}

#[test]
fn a_program_is_detected_by_its_help() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let text = format!(
        "[ \"$1\" = --help ] && echo '  --json-stream  speak JSON' && exit\n{}",
        agent(&[READY, TURNS])
    );
    let program = program(&dir, "clever", &text);
    let result = dir.run(&["--scenarios", &scenario, &program]);
    result.assert_exit(0, "its --help lists the options of that");
}

#[test]
fn an_agent_of_another_dialect_than_the_named_one_is_one_error() {
    let dir = TestDir::new();
    let loud = dir.file("loud.sh", &agent(&[READY, TURNS]));
    let args = ["--time-scale", "0.2", "--dialect", "pi@0.14", "sh", &loud];
    let result = dir.run(&args);
    result.assert_exit(
        2,
        "the agent speaks aionrs@0.1, not pi@0.14: its first line is",
    );
    assert_eq!(result.stdout, "");
    assert_eq!(result.stderr.matches("error").count(), 1, "{result:?}");
}

#[test]
fn the_version_that_the_user_names_is_used() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", PROMPT);
    let other = silent_agent(r#"echo '{"type":"response","command":"get_state","id":"conform"}'"#);
    let other = dir.file("other.sh", &other);
    let loud = agent(&[READY_0_2, TURNS]);
    let loud = dir.file("loud.sh", &loud);
    let turn = dir.file("turn.yaml", TURN);
    for (id, scenario, script, note) in [
        (
            "pi@0.14",
            &scenario,
            &other,
            "no agent of pi@0.14 writes this: when it was sent",
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
            let result = dir.run(&[&args[..], probe, &["sh", script]].concat());
            assert!(
                result.only_scenario().id.starts_with(&format!("{id}/")),
                "{result:?}"
            );
            assert_eq!(result.stderr.contains(note), probe.is_empty(), "{result:?}");
        }
    }
}

/// An agent that answers `clear_queue` and `get_state` in this order, each after a delay, and supports `clear_queue` or not.
fn delayed_agent(order: [&str; 2], delay: &str, supports_queue: bool) -> String {
    let queue = format!(
        r#"{{"type":"response","command":"clear_queue","id":"conform-queue","success":{supports_queue}}}"#
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
      sleep {delay}; echo '{0}'
      sleep {delay}; echo '{1}'
      echo '{{"type":"response","command":"prompt","success":true}}'
      echo '{{"type":"agent_start"}}'
      echo '{{"type":"turn_start"}}'
      echo '{{"type":"agent_end","messages":[]}}' ;;
  esac
done
"#,
        answers[0], answers[1]
    )
}

#[test]
fn the_order_and_the_delay_of_responses_do_not_matter() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", PROMPT);
    let orders = [["clear_queue", "get_state"], ["get_state", "clear_queue"]];
    for (supports_queue, version) in [(true, "pi@0.87"), (false, "pi@0.73")] {
        for order in orders {
            let script = dir.file("agent.sh", &delayed_agent(order, "0.15", supports_queue));
            let args = [
                "--time-scale",
                "0.5",
                "--scenarios",
                &scenario,
                "sh",
                &script,
            ];
            let found = dir.run(&args);
            assert_eq!(
                found.only_scenario().id,
                format!("{version}/one"),
                "{found:?}"
            );
            let result = dir.run(&[&["--dialect", "pi@0.87"], &args[..]].concat());
            assert_eq!(result.only_scenario().id, "pi@0.87/one", "{result:?}");
            assert_eq!(
                result.stderr.contains("seems to speak"),
                !supports_queue,
                "{result:?}"
            );
        }
    }
}

#[test]
fn an_agent_with_the_program_name_of_another_dialect_is_reported() {
    let dir = TestDir::new();
    let pi = program(&dir, "pi", "echo hello; sleep 1000");
    let args = ["--time-scale", "0.1", "--dialect", "aionrs@0.1", &pi];
    dir.run(&args)
        .assert_exit(3, "it is called pi: it may speak pi@");
}

#[test]
fn features_missing_in_a_version_are_skipped_with_the_reason() {
    let dir = TestDir::new();
    dir.file("suite/prompt.yaml", PROMPT);
    let suite = dir.file("suite/bash.yaml", BASH);
    let suite = suite.strip_suffix("/bash.yaml").unwrap();
    let package = r#"{"name":"@mariozechner/pi-coding-agent","version":"0.13.2"}"#;
    dir.file("bin/package.json", package);
    let old = program(&dir, "bin/pi", &silent_agent(":"));
    let result = dir.run(&["--dialect", "pi@0.14", "--scenarios", suite, &old]);
    let skipped = &result.report.as_ref().unwrap().scenarios[0];
    assert_eq!(skipped.verdict, Verdict::Skipped, "{result:?}");
    assert_eq!(
        skipped.reason,
        "the agent lacks bash: it is @mariozechner/pi-coding-agent 0.13.2, and that came with 0.14"
    );
}

#[test]
fn features_that_the_user_lists_as_missing_are_skipped() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", BASH);
    let script = dir.file("agent.sh", &silent_agent(":"));
    let dialect = ["--dialect", "pi@0.14", "--scenarios", &scenario];
    let run = |lacks: &str| {
        let agent = ["--lacks", lacks, "sh", &script];
        dir.run(&[&dialect[..], &agent].concat())
    };
    run("bash").assert_exit(3, "the agent lacks bash: you say so");
    run("bush").assert_exit(2, "did you mean `bash`?");
}

#[test]
fn conform_yaml_renames_tools() {
    let dir = TestDir::new();
    let call = "  - expect: { type: tool_request, tool: { name: Bash, args: { command: ls } } }\n";
    let end = "  - expect: { type: stream_end";
    dir.file(
        "suite/turn.yaml",
        &TURN.replace(end, &format!("{call}{end}")),
    );
    let script = agent(&[READY, TURNS]).replace(
        "echo '{\"type\":\"stream_end\"",
        "echo '{\"type\":\"tool_request\",\"msg_id\":\"m1\",\"call_id\":\"c\",\"tool\":{\"name\":\"Run\",\"args\":{\"line\":\"ls\"}}}'\n      echo '{\"type\":\"stream_end\"",
    );
    let script = dir.file("agent.sh", &script);
    let timed_out = |result: &crate::harness::RunResult| {
        let findings = &result.only_scenario().findings;
        findings
            .iter()
            .any(|finding| finding.rule == "scenario.expect")
    };
    let suite = dir.path("suite").display().to_string();
    let args = ["--time-scale", "0.05", "--dialect", "aionrs@0.1"];
    let args = [&args[..], &["--scenarios", &suite, "sh", &script]].concat();
    assert!(timed_out(&dir.run(&args)));
    let tools = "tools: { Bash: { name: Run, args: { command: line } } }\n";
    dir.file("conform.yaml", tools);
    assert!(!timed_out(&dir.run(&args)));
}

#[test]
fn a_relative_path_and_the_missing_arguments_of_the_recipe_work() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let needs_recipe =
        r#"case "$*" in *--json-stream*--base-url\ http://127*) ;; *) exit 7 ;; esac"#;
    dir.file("bin/agent.sh", &agent(&[needs_recipe, READY, TURNS]));
    let result = dir.run(&[
        "--scenarios",
        &scenario,
        "sh",
        "bin/agent.sh",
        "--provider=own",
    ]);
    result.assert_exit(0, "the agent is started as");
    let command = format!(
        "sh {} --provider=own --json-stream --base-url {{llm_url}} --model mock-model",
        dir.path("bin/agent.sh").display()
    );
    assert!(result.stderr.contains(&command), "{result:?}");
}

#[test]
fn arguments_with_a_placeholder_are_used_as_given() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let exact = r#"[ "$#" = 1 ] || exit 7"#;
    dir.file("agent.sh", &agent(&[exact, READY, TURNS]));
    let result = dir.run(&["--scenarios", &scenario, "sh", "agent.sh", "{llm_url}"]);
    result.assert_exit(0, "1 passed");
    let placed = ["sh", "agent.sh", "{args}"];
    let result = dir.run(
        &[
            &["--time-scale", "0.1", "--scenarios", &scenario],
            &placed[..],
        ]
        .concat(),
    );
    result.assert_exit(3, "exited with code 7");
}
