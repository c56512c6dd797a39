//! Which dialect an agent speaks, what it lacks, and what it calls its tools: found out, said aloud, overruled.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::Place;
use conform::verdict::Verdict;
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
    let other = silent(r#"echo '{"type":"response","command":"get_state","id":"conform"}'"#);
    let other = place.file("other.sh", &other);
    for (script, why) in [
        (
            &loud,
            "the agent speaks aionrs@0.1, not pi@0.14: its first words are",
        ),
        (&other, "the agent does not speak pi@0.14: asked"),
    ] {
        let args = ["--time-scale", "0.2", "--dialect", "pi@0.14", "sh", script];
        let ran = place.run(&args);
        ran.ends_with(2, why);
        assert_eq!(ran.stdout, "");
        assert_eq!(ran.stderr.matches("error").count(), 1, "{ran:?}");
    }
    let scenario = place.file("one.yaml", PROMPT);
    let named = [
        "--dialect",
        "pi@0.14",
        "--no-probe",
        "--scenarios",
        &scenario,
    ];
    let ran = place.run(&[&named[..], &["sh", &other]].concat());
    assert_eq!(ran.only().id, "pi@0.14/one", "{ran:?}");
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
